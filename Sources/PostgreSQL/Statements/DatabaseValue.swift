// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A parameter of a statement.
///
/// It is sent as text, and the server infers its type from the statement: write `$1::bigint[]` where that is ambiguous.
package enum DatabaseValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    /// Text. PostgreSQL stores no zero byte: a statement with one fails with `invalid_input`.
    case text(String)
    /// `bytea`.
    case bytes([UInt8])
    case integers([Int64?])
    case booleans([Bool?])
    case doubles([Double?])
    case texts([String?])
    /// `bytea[]`.
    case byteArrays([[UInt8]?])

    /// Appends PostgreSQL's text form; nothing for a null.
    func append(to buffer: inout [UInt8]) {
        switch self {
        case .null: break
        case .bool(let value): buffer.append(Self.letter(value))
        case .integer(let value): buffer += String(value).utf8
        case .double(let value): buffer += Self.decimal(value).utf8
        case .text(let value): buffer += value.utf8
        case .bytes(let value): Self.appendHexadecimal(value, to: &buffer)
        case .integers(let values): Self.appendArray(values, to: &buffer) { $1 += String($0).utf8 }
        case .booleans(let values): Self.appendArray(values, to: &buffer) { $1.append(Self.letter($0)) }
        case .doubles(let values): Self.appendArray(values, to: &buffer) { $1 += Self.decimal($0).utf8 }
        case .texts(let values): Self.appendArray(values, to: &buffer) { Self.appendQuoted($0, to: &$1) }
        case .byteArrays(let values):
            Self.appendArray(values, to: &buffer) {
                $1 += [0x22, 0x5C]
                Self.appendHexadecimal($0, to: &$1)
                $1.append(0x22)
            }
        }
    }

    /// PostgreSQL's text form; empty for a null. An array of arrays of different lengths, which PostgreSQL lacks, is passed as texts with
    /// the forms of its elements, and cast in the statement.
    package var literal: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func letter(_ value: Bool) -> UInt8 { value ? 0x74 : 0x66 }

    private static func decimal(_ value: Double) -> String {
        value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Infinity" : "Infinity") : value.description
    }

    private static func appendHexadecimal(_ bytes: [UInt8], to buffer: inout [UInt8]) {
        buffer += [0x5C, 0x78]
        for byte in bytes {
            buffer.append(digit(byte >> 4))
            buffer.append(digit(byte & 15))
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    /// Quotes every element, so that none is taken for a NULL, a number of braces or a separator.
    private static func appendQuoted(_ text: String, to buffer: inout [UInt8]) {
        buffer.append(0x22)
        for byte in text.utf8 {
            if byte == 0x22 || byte == 0x5C { buffer.append(0x5C) }
            buffer.append(byte)
        }
        buffer.append(0x22)
    }

    private static func appendArray<Element>(
        _ values: [Element?],
        to buffer: inout [UInt8],
        element: (Element, inout [UInt8]) -> Void
    ) {
        buffer.append(0x7B)
        for (index, value) in values.enumerated() {
            if index > 0 { buffer.append(0x2C) }
            if let value { element(value, &buffer) } else { buffer += "NULL".utf8 }
        }
        buffer.append(0x7D)
    }
}
