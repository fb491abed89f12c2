// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Probing

extension String {
    /// A URL's scheme, host and port, without anything behind them; nil for what has no scheme.
    var endpoint: (scheme: String, host: String, port: UInt16?)? {
        let parts = split(separator: "://", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let authority = parts[1].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let target = try? ProbeTarget(String(authority)) else { return nil }
        return (parts[0].lowercased(), "\(target.host)", target.port)
    }

    /// The text as a regular expression that matches it alone, anywhere.
    var literalPattern: String {
        var pattern = ""
        for character in self {
            if "\\^$.[]|()?*+{}".contains(character) { pattern.append("\\") }
            pattern.append(character)
        }
        return pattern
    }
}

extension Substring {
    /// Without blanks at its ends.
    var trimmed: String {
        var text = self
        while text.first == " " || text.first == "\t" { text = text.dropFirst() }
        while text.last == " " || text.last == "\t" { text = text.dropLast() }
        return String(text)
    }
}
