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

    /// A URL, whole or relative, whose path and query are percent-encoded as browsers do (WHATWG URL, section 1.3). Bytes that are not
    /// UTF-8 are escaped as they are; what is escaped already stays.
    package static func encoded(_ url: some Collection<UInt8>) -> String {
        let bytes = Array(url)
        var encoded = Array(bytes[..<endOfAuthority(bytes)])
        var special = "\"<>`{}"
        for (index, byte) in bytes.enumerated().dropFirst(encoded.count) {
            if byte == UInt8(ascii: "#") { return String(decoding: encoded + bytes[index...], as: UTF8.self) }
            if byte == UInt8(ascii: "?") { special = "\"<>'" }
            if byte <= 0x20 || byte >= 0x7F || special.utf8.contains(byte) {
                encoded += "%\(PrintableBytes.hexadecimal([byte]).uppercased())".utf8
            } else {
                encoded.append(byte)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Where the path begins after `scheme://host` or `//host`; 0 for a URL that is relative to a host.
    private static func endOfAuthority(_ bytes: [UInt8]) -> Int {
        let marks = "/?#".utf8
        let first = bytes.firstIndex { marks.contains($0) } ?? bytes.count
        let hasScheme = first > 0 && bytes[first - 1] == UInt8(ascii: ":")
        guard bytes[first...].starts(with: "//".utf8), first == 0 || hasScheme else { return 0 }
        return bytes[(first + 2)...].firstIndex { marks.contains($0) } ?? bytes.count
    }
}
