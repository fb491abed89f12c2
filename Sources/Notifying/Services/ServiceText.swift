// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// Forms of text that services need.
enum URLText {
    /// A text as a part of a path, a query or a form: all but unreserved characters escaped (RFC 3986, section 2.3).
    ///
    /// - Parameter others: further characters that stay as they are.
    static func escaped(_ text: String, keeping others: String = "") -> String {
        String(
            decoding: text.utf8.flatMap { byte -> [UInt8] in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: [byte]
                case _ where "-._~".utf8.contains(byte) || others.utf8.contains(byte): [byte]
                default: Array("%\(PrintableBytes.hexadecimal([byte]).uppercased())".utf8)
                }
            },
            as: UTF8.self
        )
    }

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
