// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Takes one line of JSON (RFC 8259) apart, where objects and arrays stay the bytes that they are.
///
/// It knows no line ends inside a line: what goes through here is sent in streams of lines.
struct JSONScanner {
    private let bytes: [UInt8]
    private var position = 0
    private static let depthLimit = 64

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The members of the object that the line is, each value as its bytes.
    ///
    /// - Throws: for what is no object, is followed by something, or names a member twice.
    static func members(_ bytes: [UInt8]) throws(TransferError) -> [String: [UInt8]] {
        var scanner = JSONScanner(bytes)
        var members: [String: [UInt8]] = [:]
        scanner.blanks()
        guard scanner.take("{") else { throw TransferError("this is no JSON object") }
        scanner.blanks()
        if !scanner.take("}") {
            repeat {
                scanner.blanks()
                let name = try scanner.text()
                scanner.blanks()
                guard scanner.take(":") else { throw TransferError("a colon is missing behind \"\(name.prefix(32))\"") }
                scanner.blanks()
                let start = scanner.position
                try scanner.skipValue(depth: 1)
                guard members.updateValue(Array(bytes[start..<scanner.position]), forKey: name) == nil else {
                    throw TransferError("\"\(name.prefix(32))\" is there twice")
                }
                scanner.blanks()
            } while scanner.take(",")
            guard scanner.take("}") else { throw TransferError("a comma or } is missing") }
        }
        scanner.blanks()
        guard scanner.position == bytes.count else { throw TransferError("something follows the object") }
        return members
    }

    /// The text that a value is.
    static func text(_ value: [UInt8]) throws(TransferError) -> String {
        var scanner = JSONScanner(value)
        let text = try scanner.text()
        guard scanner.position == value.count else { throw TransferError("a text is wanted") }
        return text
    }

    /// The elements of the array that a value is.
    static func elements(_ value: [UInt8]) throws(TransferError) -> [[UInt8]] {
        var scanner = JSONScanner(value)
        var elements: [[UInt8]] = []
        guard scanner.take("[") else { throw TransferError("a list is wanted") }
        scanner.blanks()
        if scanner.take("]") { return elements }
        repeat {
            scanner.blanks()
            let start = scanner.position
            try scanner.skipValue(depth: 1)
            elements.append(Array(value[start..<scanner.position]))
            scanner.blanks()
        } while scanner.take(",")
        guard scanner.take("]") else { throw TransferError("a comma or ] is missing") }
        return elements
    }

    // MARK: Values

    private mutating func skipValue(depth: Int) throws(TransferError) {
        guard depth < Self.depthLimit else { throw TransferError("it is nested too deep") }
        switch peek ?? 0 {
        case UInt8(ascii: "\""): _ = try text()
        case UInt8(ascii: "{"): try skipList(depth, "{", "}", isObject: true)
        case UInt8(ascii: "["): try skipList(depth, "[", "]", isObject: false)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try skipNumber()
        default:
            for word in ["true", "false", "null"] where bytes[position...].starts(with: word.utf8) {
                position += word.utf8.count
                return
            }
            throw TransferError("a value is missing")
        }
    }

    private mutating func skipList(
        _ depth: Int,
        _ opening: Unicode.Scalar,
        _ closing: Unicode.Scalar,
        isObject: Bool
    ) throws(TransferError) {
        _ = take(opening)
        blanks()
        if take(closing) { return }
        repeat {
            blanks()
            if isObject {
                _ = try text()
                blanks()
                guard take(":") else { throw TransferError("a colon is missing") }
                blanks()
            }
            try skipValue(depth: depth + 1)
            blanks()
        } while take(",")
        guard take(closing) else { throw TransferError("a comma or \(closing) is missing") }
    }

    private mutating func skipNumber() throws(TransferError) {
        _ = take("-")
        let whole = digits()
        guard whole == 1 || whole > 1 && bytes[position - whole] != UInt8(ascii: "0") else {
            throw TransferError("a number is malformed")
        }
        if take(".") { guard digits() > 0 else { throw TransferError("a number is malformed") } }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            guard digits() > 0 else { throw TransferError("a number is malformed") }
        }
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = peek, (0x30...0x39).contains(byte) { position += 1 }
        return position - start
    }

    private mutating func text() throws(TransferError) -> String {
        guard take("\"") else { throw TransferError("a text is wanted") }
        var text: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let valid = String(validating: text, as: UTF8.self) else {
                    throw TransferError("a text is not UTF-8")
                }
                return valid
            case UInt8(ascii: "\\"): try escape(&text)
            case 0..<0x20: throw TransferError("a control character stands in a text")
            default: text.append(byte)
            }
        }
        throw TransferError("a text has no end")
    }

    private mutating func escape(_ text: inout [UInt8]) throws(TransferError) {
        guard let byte = peek else { throw TransferError("a text has no end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "u"):
            var code = try unit()
            if (0xd800..<0xdc00).contains(code), take("\\"), take("u") {
                let low = try unit()
                guard (0xdc00..<0xe000).contains(low) else { throw TransferError("half of a character is missing") }
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw TransferError("half of a character is missing") }
            text += Array(Character(scalar).utf8)
        default: throw TransferError("an escape is unknown")
        }
    }

    private mutating func unit() throws(TransferError) -> UInt32 {
        guard position + 4 <= bytes.count,
            let digits = String(validating: bytes[position..<position + 4], as: UTF8.self),
            digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let code = UInt32(digits, radix: 16)
        else { throw TransferError("an escape is malformed") }
        position += 4
        return code
    }

    // MARK: Bytes

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let byte = peek, UInt32(byte) == character.value else { return false }
        position += 1
        return true
    }

    /// Carriage returns are none: they end a line for who reads a stream of events.
    private mutating func blanks() {
        while peek == UInt8(ascii: " ") || peek == UInt8(ascii: "\t") { position += 1 }
    }
}
