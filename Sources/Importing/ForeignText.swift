// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Probing
import Schema

extension String {
    /// A URL's scheme, host and port, without the rest; nil for a text without a scheme.
    var endpoint: (scheme: String, host: String, port: UInt16?)? {
        let parts = split(separator: "://", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let authority = parts[1].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let target = try? ProbeTarget(String(authority)) else { return nil }
        return (parts[0].lowercased(), "\(target.host)", target.port)
    }

    /// As ``endpoint``, also for a template with variables: in the host, or as the port.
    var endpointTemplate: (scheme: String, host: String, port: YAMLText?)? {
        guard contains("${") else { return endpoint.map { ($0.scheme, $0.host, $0.port.map { .word("\($0)") }) } }
        let parts = split(separator: "://", maxSplits: 1)
        guard parts.count == 2, !parts[0].contains("$") else { return nil }
        var host = parts[1].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        var port: YAMLText?
        if let colon = host.lastIndex(of: ":"), host[colon...].last != "]" {
            let text = host[host.index(after: colon)...]
            port = text.hasPrefix("$") ? .template(String(text)) : .word(String(text))
            guard text.hasPrefix("$") || UInt16(text) != nil else { return nil }
            host = host[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return host.isEmpty ? nil : (parts[0].lowercased(), String(host), port)
    }

    /// A regular expression that matches this text literally.
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
    /// Without spaces at its ends.
    var trimmed: String {
        var text = self
        while text.first == " " || text.first == "\t" { text = text.dropFirst() }
        while text.last == " " || text.last == "\t" { text = text.dropLast() }
        return String(text)
    }
}

/// Durations in Go's format: `1h30m`, `1.5s`, `300ms`; less than a millisecond becomes zero.
enum GoDuration {
    private static let units: [(name: String, milliseconds: Double)] = [
        ("ms", 1), ("us", 0.001), ("µs", 0.001), ("ns", 0.000_001), ("w", 604_800_000), ("d", 86_400_000),
        ("h", 3_600_000), ("m", 60_000), ("s", 1_000),
    ]

    /// Milliseconds; nil for an invalid duration, or one beyond a year.
    static func milliseconds(_ text: String) -> Int? {
        var rest = text[...]
        guard !rest.isEmpty else { return nil }
        if rest == "0" { return 0 }
        var total = 0.0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(digits.count)
            guard let number = Double(digits),
                let unit = units.first(where: { unit in
                    rest.hasPrefix(unit.name)
                })
            else { return nil }
            rest = rest.dropFirst(unit.name.count)
            total += number * unit.milliseconds
        }
        return total <= 31_536_000_000 ? Int(total.rounded()) : nil
    }

    /// The same duration in reachd's format; nil as above.
    static func text(_ text: String) -> YAMLText? {
        milliseconds(text).map { .word(DurationText.text(milliseconds: max(1, $0))) }
    }
}
