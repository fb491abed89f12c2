// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Writes JSON straight into bytes; no tree, no Foundation. What it writes is valid UTF-8 because strings are.
struct JSONWriter {
    private(set) var bytes: [UInt8]
    private var needsComma = false

    init(reserving capacity: Int = 1024) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    // MARK: Structure

    mutating func object(_ body: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        body(&self)
        close(UInt8(ascii: "}"))
    }

    mutating func array<Elements: Sequence>(_ elements: Elements, _ body: (inout JSONWriter, Elements.Element) -> Void)
    {
        open(UInt8(ascii: "["))
        for element in elements { body(&self, element) }
        close(UInt8(ascii: "]"))
    }

    mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Takes bytes that are not JSON: a stream's framing around the documents.
    mutating func raw(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        needsComma = false
    }

    // MARK: Values

    mutating func string(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        if value.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            bytes.append(contentsOf: value.utf8)
        } else {
            for byte in value.utf8 { escaped(byte) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func integer(_ value: some FixedWidthInteger) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    mutating func boolean(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    mutating func time(_ value: Timestamp) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        value.append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// A duration in seconds with at most three decimals, from milliseconds.
    mutating func seconds(milliseconds: UInt64) {
        separate()
        bytes.append(contentsOf: String(milliseconds / 1000).utf8)
        var fraction = milliseconds % 1000
        guard fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var divisor: UInt64 = 100
        while fraction > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction / divisor))
            fraction %= divisor
            divisor /= 10
        }
    }

    // MARK: Members

    mutating func member(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    mutating func member(_ name: String, _ value: some FixedWidthInteger) {
        key(name)
        integer(value)
    }

    mutating func member(_ name: String, _ value: Bool) {
        key(name)
        boolean(value)
    }

    mutating func member(_ name: String, _ value: Timestamp) {
        key(name)
        time(value)
    }

    mutating func member(_ name: String, _ body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }

    // MARK: Bytes

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ byte: UInt8) {
        separate()
        bytes.append(byte)
        needsComma = false
    }

    private mutating func close(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    private mutating func escaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0x0a: bytes.append(contentsOf: "\\n".utf8)
        case 0x0d: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0x08: bytes.append(contentsOf: "\\b".utf8)
        case 0x0c: bytes.append(contentsOf: "\\f".utf8)
        case 0..<0x20:
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(Self.hexadecimal(byte >> 4))
            bytes.append(Self.hexadecimal(byte & 15))
        default: bytes.append(byte)
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
}
