// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a client says of content codings (RFC 9110, section 12.5.3).
package enum AcceptEncoding {
    /// Whether a field's value asks for gzip, rather than only permit it by being absent.
    package static func acceptsGzip(_ field: String?) -> Bool {
        guard let field else { return false }
        var others = false
        for element in field.utf8.split(separator: UInt8(ascii: ",")) {
            let parts = element.split(separator: UInt8(ascii: ";"))
            guard let first = parts.first else { continue }
            let name = trimmed(first)
            let isWanted = !parts.dropFirst().contains { isZero(trimmed($0)) }
            if name == "gzip" || name == "x-gzip" { return isWanted }
            if name == "*" { others = isWanted }
        }
        return others
    }

    /// Whether a parameter is a weight of nothing: `q=0`, `q=0.000`.
    private static func isZero(_ parameter: String) -> Bool {
        guard parameter.hasPrefix("q=") else { return false }
        let weight = parameter.dropFirst(2)
        return weight.hasPrefix("0") && weight.allSatisfy { $0 == "0" || $0 == "." }
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> String {
        let visible = bytes.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        return String(decoding: visible, as: UTF8.self).lowercased()
    }
}
