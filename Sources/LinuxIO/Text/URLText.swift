// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Texts as parts of a URL.
package enum URLText {
    /// A text as a part of a path, a query or a form: all but unreserved characters escaped (RFC 3986, section 2.3).
    ///
    /// - Parameter others: further characters that stay as they are.
    package static func escaped(_ text: String, keeping others: String = "") -> String {
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
}
