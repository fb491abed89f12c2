// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// Forms of text that services need.
extension URLText {
    /// The body of a form (application/x-www-form-urlencoded).
    static func form(_ fields: [(name: String, value: String?)]) -> [UInt8] {
        let pairs = fields.compactMap { field in field.value.map { "\(escaped(field.name))=\(escaped($0))" } }
        return Array(pairs.joined(separator: "&").utf8)
    }
}

extension String {
    /// At most so many UTF-16 units, by which services count, with an ellipsis for what is cut off.
    func shortened(to limit: Int) -> String {
        guard utf16.count > limit else { return self }
        var text = ""
        var length = 1
        for scalar in unicodeScalars {
            length += UTF16.width(scalar)
            guard length <= limit else { break }
            text.unicodeScalars.append(scalar)
        }
        return text + "…"
    }
}
