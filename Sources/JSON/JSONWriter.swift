// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Writes JSON straight into bytes; no tree, no Foundation. What it writes is valid UTF-8 because strings are.
///
/// Texts have the short escapes of RFC 8259 where there is one, `\u00xx` for other control characters below U+0020, and nothing
/// else is escaped.
package struct JSONWriter: Sendable {
    /// What was written so far.
    package private(set) var bytes: [UInt8]
    private var needsComma = false

    /// Begins with nothing, and room for some bytes.
    package init(reserving capacity: Int = 1024) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    // MARK: Structure

    /// What was written, in an array of its own length; the writer is empty then, and keeps its room.
    package mutating func take() -> [UInt8] {
        defer {
            bytes.removeAll(keepingCapacity: true)
            needsComma = false
        }
        return unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// An object, whose members the closure writes.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        body(&self)
        close(UInt8(ascii: "}"))
    }

    /// An object of texts, sorted by their names.
    package mutating func object(texts: [String: String]) {
        object { writer in
            for (name, value) in texts.sorted(by: { $0.key < $1.key }) { writer.member(named: name, value) }
        }
    }

    /// An array, whose elements the closure writes.
    package mutating func array(_ body: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "["))
        body(&self)
        close(UInt8(ascii: "]"))
    }

    /// An array of what the closure writes of each element.
    @inlinable
    package mutating func array<Elements: Sequence>(
        _ elements: Elements,
        _ body: (inout JSONWriter, Elements.Element) -> Void
    ) {
        array { writer in
            for element in elements { body(&writer, element) }
        }
    }

    /// A name that is data.
    package mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A name of ours, which needs no look for what to escape.
    package mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        literal(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Takes bytes that are not JSON: a stream's framing around the documents.
    package mutating func raw(_ text: StaticString) {
        literal(text)
        needsComma = false
    }

    /// Takes a text of ours that is not JSON.
    package mutating func raw(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        needsComma = false
    }

    /// Takes decimal digits that are not JSON.
    package mutating func raw(_ number: UInt64) {
        digits(number)
        needsComma = false
    }

    // MARK: Values

    /// A text.
    package mutating func string(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        Self.escape(value, into: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// A text that needs no escapes, which the closure appends.
    package mutating func plain(_ body: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        body(&bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// A whole number.
    @inlinable
    package mutating func integer(_ value: some FixedWidthInteger) {
        whole(UInt64(clamping: value.magnitude), isNegative: value < 0)
    }

    /// A whole number, by its parts.
    package mutating func whole(_ magnitude: UInt64, isNegative: Bool) {
        separate()
        if isNegative { bytes.append(UInt8(ascii: "-")) }
        digits(magnitude)
    }

    /// `true` or `false`.
    package mutating func boolean(_ value: Bool) {
        separate()
        literal(value ? "true" : "false")
    }

    /// `null`.
    package mutating func null() {
        separate()
        literal("null")
    }

    /// A duration in seconds with at most three decimals, from milliseconds.
    package mutating func seconds(milliseconds: UInt64) {
        decimal(milliseconds / 1000, fraction: milliseconds % 1000, scale: 1000)
    }

    /// A duration in seconds with at most six decimals; less than nothing is nothing.
    package mutating func seconds(_ duration: Duration) {
        let (whole, attoseconds) = duration.components
        let isPositive = whole >= 0 && attoseconds >= 0
        let microseconds = UInt64(clamping: attoseconds / 1_000_000_000_000)
        decimal(isPositive ? UInt64(whole) : 0, fraction: isPositive ? microseconds : 0, scale: 1_000_000)
    }

    /// A share from 0 to 1 with at most six decimals, never more than it is: what is nearly all is not all.
    package mutating func ratio(_ value: Double) {
        let millionths = UInt64(min(max(value, 0), 1) * 1_000_000)
        decimal(millionths / 1_000_000, fraction: millionths % 1_000_000, scale: 1_000_000)
    }

    /// A value that this type rendered before.
    @inlinable
    package mutating func value(rendered: some Collection<UInt8>) {
        splice { $0.append(contentsOf: rendered) }
    }

    /// A value whose bytes the closure appends.
    package mutating func splice(_ body: (inout [UInt8]) -> Void) {
        separate()
        body(&bytes)
    }

    /// Members that this type rendered before, with the comma that they began with.
    package mutating func members(rendered: [UInt8]) {
        bytes.append(contentsOf: rendered)
        needsComma = true
    }

    // MARK: Members

    /// A member that is a share.
    package mutating func member(_ name: StaticString, ratio value: Double) {
        key(name)
        ratio(value)
    }

    /// A member in seconds.
    package mutating func member(_ name: StaticString, _ value: Duration) {
        key(name)
        seconds(value)
    }

    /// A member in seconds that may be less than nothing, with at most six decimals.
    package mutating func member(_ name: StaticString, difference value: Duration) {
        key(name)
        separate()
        if value < .zero { bytes.append(UInt8(ascii: "-")) }
        needsComma = false
        seconds(value < .zero ? .zero - value : value)
    }

    /// A member in seconds, whose name is data.
    package mutating func member(named name: String, _ value: Duration) {
        key(name)
        seconds(value)
    }

    /// A text.
    package mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    /// A text if there is one: what is not known is not there.
    package mutating func member(_ name: StaticString, optional value: String?) {
        if let value { member(name, value) }
    }

    /// A text, whose name is data.
    package mutating func member(named name: String, _ value: String) {
        key(name)
        string(value)
    }

    /// A whole number.
    @inlinable
    package mutating func member(_ name: StaticString, _ value: some FixedWidthInteger) {
        key(name)
        integer(value)
    }

    /// A whole number, whose name is data.
    @inlinable
    package mutating func member(named name: String, _ value: some FixedWidthInteger) {
        key(name)
        integer(value)
    }

    /// `true` or `false`.
    package mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        boolean(value)
    }

    /// An object, whose members the closure writes.
    package mutating func member(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }

    /// An object of texts, sorted by their names.
    package mutating func member(_ name: StaticString, texts: [String: String]) {
        key(name)
        object(texts: texts)
    }

    // MARK: Texts

    /// A text in quotation marks.
    package static func quoted(_ text: String) -> String {
        var writer = JSONWriter(reserving: text.utf8.count + 2)
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Appends what stands between the quotation marks of a text.
    package static func escape(_ value: String, into bytes: inout [UInt8]) {
        var value = value
        value.withUTF8 { text in
            if unsafe text.contains(where: mustEscape) {
                for index in text.indices { unsafe escape(text[index], into: &bytes) }
            } else {
                unsafe bytes.append(contentsOf: text)
            }
        }
    }

    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func escape(_ byte: UInt8, into bytes: inout [UInt8]) {
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
            bytes.append(hexadecimal(byte >> 4))
            bytes.append(hexadecimal(byte & 15))
        default: bytes.append(byte)
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }

    // MARK: Bytes

    private mutating func literal(_ text: StaticString) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    /// A number with a fraction of `fraction / scale`, without zeros at its end.
    private mutating func decimal(_ whole: UInt64, fraction: UInt64, scale: UInt64) {
        separate()
        digits(whole)
        guard fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var (rest, divisor) = (fraction, scale / 10)
        while rest > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / divisor))
            rest %= divisor
            divisor /= 10
        }
    }

    private mutating func digits(_ value: UInt64) {
        var rest = value
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
}
