// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Reads JSON (RFC 8259) from the first byte to the last, one piece at a time; every text that this program takes goes through it.
///
/// What it thinks of what RFC 8259 leaves open:
/// - A byte order mark at the beginning is skipped.
/// - Half of a surrogate pair, and bytes that are not UTF-8, are errors in texts that are read. Texts that are skipped are held
///   against the grammar alone, unless ``JSONLimits/checksSkipped``: a stranger's document is not refused for a member that
///   was not asked for.
/// - Numbers follow the grammar and are handed on as they are written, whatever their size.
/// - Objects and arrays are open to a depth of ``JSONLimits/depth``, and ``JSONLimits/values`` are read.
/// - All members of an object are handed on in their order. A duplicate name is an error for the reader of the object:
///   ``members(of:limits:)`` throws it, and a configuration's reader reports it beside other faults.
package struct JSONReader {
    /// What a value is.
    package enum Kind: Sendable, Hashable {
        case object
        case array
        case string
        case number
        case boolean
        case null
    }

    private let bytes: [UInt8]
    private let limits: JSONLimits
    /// Where it stands.
    package private(set) var offset = 0
    private var line = 1
    /// A place in the line, and the column that it is: a line may be as long as the text.
    private var known = (offset: 0, column: 1)
    private var budget: Int
    /// What ends each object and array that is open, the innermost last.
    private var endings: [UInt8] = []
    /// Whether nothing of the innermost one was read yet.
    private var isAtBeginning = false

    /// Begins to read.
    package init(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) {
        self.bytes = bytes
        self.limits = limits
        budget = limits.values
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            offset = 3
            known.offset = 3
        }
    }

    // MARK: Values

    /// What the value that comes is; it is not read yet.
    ///
    /// - Throws: ``JSONError`` when none comes.
    package mutating func kind() throws(JSONError) -> Kind {
        skipBlanks()
        switch peek ?? 0 {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t") where comes("true"), UInt8(ascii: "f") where comes("false"): return .boolean
        case UInt8(ascii: "n") where comes("null"): return .null
        default: throw error(peek == nil ? "a value is missing" : "this is not a value")
        }
    }

    /// Enters an object, whose members ``nextName()`` brings.
    package mutating func beginObject() throws(JSONError) { try begin(.object) }

    /// Enters an array, whose elements ``nextElement()`` brings.
    package mutating func beginArray() throws(JSONError) { try begin(.array) }

    /// The name of the next member, whose value must then be read or skipped; nil at the object's end.
    package mutating func nextName() throws(JSONError) -> String? {
        guard try advance() else { return nil }
        let name = try text()
        try colon()
        return name
    }

    /// As ``nextName()``, with where the name stands.
    package mutating func nextPlacedName() throws(JSONError) -> (name: String, line: Int, column: Int)? {
        guard try advance() else { return nil }
        let (line, column) = position()
        let name = try text()
        try colon()
        return (name, line, column)
    }

    /// Whether there is one more element, which must then be read or skipped.
    package mutating func nextElement() throws(JSONError) -> Bool { try advance() }

    /// A text.
    package mutating func string() throws(JSONError) -> String {
        try count(.string)
        return try text()
    }

    /// A number, as it is written.
    package mutating func number() throws(JSONError) -> String {
        try count(.number)
        let start = offset
        try skipNumber()
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// `true` or `false`.
    package mutating func boolean() throws(JSONError) -> Bool {
        try count(.boolean)
        let value = peek == UInt8(ascii: "t")
        offset += value ? 4 : 5
        return value
    }

    /// `null`.
    package mutating func null() throws(JSONError) {
        try count(.null)
        offset += 4
    }

    /// Goes behind a value, and holds it against the grammar.
    ///
    /// - Returns: Where it stood.
    @discardableResult
    package mutating func skip() throws(JSONError) -> Range<Int> {
        skipBlanks()
        let start = offset
        let depth = endings.count
        repeat {
            switch try kind() {
            case .object, .array: try open()
            case .string: try skipText()
            case .number: try skipNumber()
            case .boolean: offset += peek == UInt8(ascii: "t") ? 4 : 5
            case .null: offset += 4
            }
            while endings.count > depth {
                let isObject = endings.last == UInt8(ascii: "}")
                guard try advance() else { continue }
                if isObject {
                    try skipText()
                    try colon()
                }
                break
            }
        } while endings.count > depth
        return start..<offset
    }

    /// Makes sure that nothing follows.
    package mutating func end() throws(JSONError) {
        skipBlanks()
        guard offset == bytes.count else { throw error("there is text after the value") }
    }

    // MARK: Objects and arrays

    private mutating func begin(_ kind: Kind) throws(JSONError) {
        try count(kind)
        try open()
    }

    private mutating func open() throws(JSONError) {
        guard endings.count < limits.depth else {
            throw error("nested more than \(limits.depth) levels deep", .tooDeep)
        }
        endings.append(UInt8(ascii: peek == UInt8(ascii: "{") ? "}" : "]"))
        isAtBeginning = true
        offset += 1
    }

    /// Whether something more is in the innermost object or array; leaves it when not.
    private mutating func advance() throws(JSONError) -> Bool {
        guard let ending = endings.last else { throw error("no object or array is open") }
        skipBlanks()
        if peek == ending {
            offset += 1
            endings.removeLast()
            isAtBeginning = false
            return false
        }
        let isObject = ending == UInt8(ascii: "}")
        if !isAtBeginning, !take(",") {
            throw error(isObject ? "a comma or } is expected" : "a comma or ] is expected")
        }
        isAtBeginning = false
        skipBlanks()
        guard !isObject || peek == UInt8(ascii: "\"") else { throw error("a name in quotes is expected") }
        return true
    }

    private mutating func colon() throws(JSONError) {
        skipBlanks()
        guard take(":") else { throw error("a colon is expected") }
    }

    private mutating func count(_ wanted: Kind) throws(JSONError) {
        guard try kind() == wanted else { throw error("this is not \(wanted)") }
        budget -= 1
        guard budget >= 0 else { throw error("more than \(limits.values) values", .tooLarge) }
    }

    // MARK: Numbers and texts

    private mutating func skipNumber() throws(JSONError) {
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
    }

    private mutating func digits() throws(JSONError) {
        let start = offset
        while let byte = peek, (0x30...0x39).contains(byte) { offset += 1 }
        guard offset > start else { throw error("a digit is expected") }
    }

    private mutating func text() throws(JSONError) -> String {
        offset += 1
        // Most texts are as they are written.
        var start = offset
        var units: [UInt8] = []
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                let rest = bytes[start..<offset]
                offset += 1
                let text =
                    units.isEmpty
                    ? String(validating: rest, as: UTF8.self) : String(validating: units + rest, as: UTF8.self)
                guard let text else { throw error("this is not UTF-8") }
                return text
            case UInt8(ascii: "\\"):
                units += bytes[start..<offset]
                offset += 1
                units.append(contentsOf: String(try escape()).utf8)
                start = offset
            case 0..<0x20:
                throw error("a control character in a string must be written as an escape")
            default:
                offset += 1
            }
        }
        throw error("the string is not terminated")
    }

    private mutating func skipText() throws(JSONError) {
        guard !limits.checksSkipped else {
            _ = try text()
            return
        }
        offset += 1
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return
            case UInt8(ascii: "\\"):
                offset += 1
                _ = try unit()
            case 0..<0x20:
                throw error("a control character in a string must be written as an escape")
            default:
                offset += 1
            }
        }
        throw error("the string is not terminated")
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xdc00, take("\\"), peek == UInt8(ascii: "u") else { throw error("half of a surrogate pair") }
        let second = try unit()
        guard (0xdc00...0xdfff).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first - 0xd800) << 10) + UInt32(second - 0xdc00))
        else { throw error("half of a surrogate pair") }
        return scalar
    }

    /// The UTF-16 code unit that stands behind a backslash.
    private mutating func unit() throws(JSONError) -> UInt16 {
        guard let byte = peek else { throw error("the string is not terminated") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(byte)
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0c
        case UInt8(ascii: "n"): return 0x0a
        case UInt8(ascii: "r"): return 0x0d
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"): break
        default: throw error("the escape is unknown")
        }
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("four hexadecimal digits are expected")
            }
            value = value << 4 | UInt16(digit)
            offset += 1
        }
        return value
    }

    // MARK: Bytes

    private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private func comes(_ word: String) -> Bool { bytes[offset...].starts(with: word.utf8) }

    private mutating func skipBlanks() {
        while let byte = peek {
            switch byte {
            case 0x20, 0x09: offset += 1
            case 0x0d where !limits.isOneLine: offset += 1
            case 0x0a where !limits.isOneLine:
                offset += 1
                line += 1
                known = (offset, 1)
            default: return
            }
        }
    }

    /// The line and column where it stands, from 1. Columns are code points: what continues one does not count.
    package mutating func position() -> (line: Int, column: Int) {
        let column = known.column + bytes[known.offset..<offset].count { $0 & 0xc0 != 0x80 }
        known = (offset, column)
        return (line, column)
    }

    private mutating func error(_ message: String, _ code: JSONError.Code = .syntax) -> JSONError {
        let (line, column) = position()
        return JSONError(code: code, offset: offset, line: line, column: column, message: message)
    }

    /// An error with its position, found by the caller.
    package mutating func fault(_ message: String) -> JSONError { error(message) }
}
