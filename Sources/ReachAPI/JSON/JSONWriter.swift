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

    /// A name of ours, which needs no look for what to escape.
    mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Takes bytes that are not JSON: a stream's framing around the documents.
    mutating func raw(_ text: StaticString) {
        literal(text)
        needsComma = false
    }

    /// Takes a text of ours that is not JSON.
    mutating func raw(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        needsComma = false
    }

    /// Takes decimal digits that are not JSON.
    mutating func raw(_ number: UInt64) {
        digits(number)
        needsComma = false
    }

    // MARK: Values

    mutating func string(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { text in
            if unsafe text.contains(where: Self.mustEscape) {
                for index in text.indices { unsafe escaped(text[index]) }
            } else {
                unsafe bytes.append(contentsOf: text)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func integer(_ value: some FixedWidthInteger) {
        separate()
        digits(value)
    }

    mutating func boolean(_ value: Bool) {
        separate()
        literal(value ? "true" : "false")
    }

    mutating func null() {
        separate()
        literal("null")
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
        digits(milliseconds / 1000)
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

    /// A duration in seconds with at most six decimals; less than nothing is nothing.
    mutating func seconds(_ duration: Duration) {
        separate()
        let (whole, attoseconds) = duration.components
        guard whole >= 0, attoseconds >= 0 else { return digits(0) }
        digits(whole)
        var fraction = attoseconds / 1_000_000_000_000
        guard fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var divisor: Int64 = 100_000
        while fraction > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction / divisor))
            fraction %= divisor
            divisor /= 10
        }
    }

    /// A share from 0 to 1 with at most six decimals, never more than it is: what is nearly all is not all.
    mutating func ratio(_ value: Double) {
        separate()
        let millionths = UInt64(min(max(value, 0), 1) * 1_000_000)
        digits(millionths / 1_000_000)
        var fraction = millionths % 1_000_000
        guard fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var divisor: UInt64 = 100_000
        while fraction > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction / divisor))
            fraction %= divisor
            divisor /= 10
        }
    }

    // MARK: Members

    mutating func member(_ name: StaticString, ratio value: Double) {
        key(name)
        ratio(value)
    }

    mutating func member(_ name: StaticString, _ value: Duration) {
        key(name)
        seconds(value)
    }

    mutating func member(named name: String, _ value: Duration) {
        key(name)
        seconds(value)
    }

    mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    /// A member whose name is data.
    mutating func member(named name: String, _ value: String) {
        key(name)
        string(value)
    }

    mutating func member(_ name: StaticString, _ value: some FixedWidthInteger) {
        key(name)
        integer(value)
    }

    mutating func member(named name: String, _ value: some FixedWidthInteger) {
        key(name)
        integer(value)
    }

    mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        boolean(value)
    }

    mutating func member(_ name: StaticString, _ value: Timestamp) {
        key(name)
        time(value)
    }

    mutating func member(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }

    /// Members that this type rendered before, with the comma that they began with.
    mutating func members(rendered: [UInt8]) {
        bytes.append(contentsOf: rendered)
        needsComma = true
    }

    /// A value that this type rendered before.
    mutating func value(rendered: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: rendered)
    }

    // MARK: Bytes

    private mutating func literal(_ text: StaticString) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    private mutating func digits<Number: FixedWidthInteger>(_ value: Number) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

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

    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
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
