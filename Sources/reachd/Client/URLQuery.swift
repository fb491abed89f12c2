// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A query of a URL, put together.
struct URLQuery {
    private var pairs: [String] = []

    mutating func add(_ name: String, _ value: String) {
        pairs.append("\(name)=\(Self.encode(value))")
    }

    mutating func add(_ name: String, each values: [String]) {
        for value in values { add(name, value) }
    }

    /// With its question mark; "" for none.
    var text: String { pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&") }

    /// A text as a part of a path or a query (RFC 3986): everything but unreserved characters is escaped.
    static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                bytes += ("%" + (digits.count == 1 ? "0" : "") + digits).utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
