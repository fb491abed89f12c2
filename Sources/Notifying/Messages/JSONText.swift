// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// JSON of the few shapes that messages have.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func object(_ body: (inout JSONText) -> Void) { nested("{", "}", body) }

    mutating func array(_ body: (inout JSONText) -> Void) { nested("[", "]", body) }

    mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func string(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        Self.escape(value, into: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func literal(_ value: String) {
        separate()
        bytes += Array(value.utf8)
    }

    /// A member with a text; none for nil: what is not known is not there.
    mutating func member(_ name: String, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }

    mutating func member(_ name: String, _ value: some FixedWidthInteger) {
        key(name)
        literal("\(value)")
    }

    mutating func member(_ name: String, object body: (inout JSONText) -> Void) {
        key(name)
        object(body)
    }

    mutating func member(_ name: String, texts: [String: String]) {
        key(name)
        object { json in
            for (name, value) in texts.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
        }
    }

    /// What stands between the quotation marks of a string.
    static func escape(_ value: String, into bytes: inout [UInt8]) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: bytes += Array("\\n".utf8)
            case 0x0D: bytes += Array("\\r".utf8)
            case 0x09: bytes += Array("\\t".utf8)
            case 0..<0x20: bytes += Array("\\u00".utf8) + Array(PrintableBytes.hexadecimal([byte]).utf8)
            default: bytes.append(byte)
            }
        }
    }

    private mutating func nested(_ open: Character, _ close: Character, _ body: (inout JSONText) -> Void) {
        separate()
        bytes += Array(String(open).utf8)
        needsComma = false
        body(&self)
        bytes += Array(String(close).utf8)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }
}
