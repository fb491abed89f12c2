// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Reads JSON (RFC 8259) into the nodes that a configuration is made of; the command line reads a service's answers with it.
///
/// JSON is YAML, but for what libyaml makes of it: characters beyond U+FFFF are written as two escapes, which it refuses, and
/// names longer than 1,024 bytes; and it takes much that is no JSON, such as anchors.
package struct JSONReader {
    private let bytes: [UInt8]
    private let limits: YAMLLimits
    private var offset = 0
    private var line = 1
    /// A place in the line, and the column that it is: a line may be as long as the text.
    private var known = (offset: 0, column: 1)
    private var budget: Int

    /// Reads a text.
    ///
    /// - Throws: ``YAMLError`` with a position inside the text, or at its end.
    package static func read(_ bytes: [UInt8], limits: YAMLLimits = YAMLLimits()) throws(YAMLError) -> YAMLNode {
        var reader = JSONReader(bytes: bytes, limits: limits)
        reader.skipBlanks()
        let node = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.offset == bytes.count else { throw reader.error("something follows the value") }
        return node
    }

    private init(bytes: [UInt8], limits: YAMLLimits) {
        self.bytes = bytes
        self.limits = limits
        budget = limits.nodes
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(YAMLError) -> YAMLNode {
        guard depth <= limits.depth else {
            throw YAMLError(.tooDeep, at: position(), "nested more than \(limits.depth) levels deep")
        }
        budget -= 1
        guard budget >= 0 else { throw YAMLError(.tooLarge, at: position(), "more than \(limits.nodes) values") }
        let start = position()
        switch peek ?? 0 {
        case UInt8(ascii: "{"): return YAMLNode(try object(depth: depth), position: start)
        case UInt8(ascii: "["): return YAMLNode(try array(depth: depth), position: start)
        case UInt8(ascii: "\""): return YAMLNode(.scalar(try string(), isPlain: false), position: start)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return YAMLNode(.scalar(try number(), isPlain: true), position: start)
        default: break
        }
        for word in ["true", "false", "null"] where bytes[offset...].starts(with: word.utf8) {
            offset += word.utf8.count
            return YAMLNode(.scalar(word, isPlain: true), position: start)
        }
        throw error(peek == nil ? "a value is missing" : "this is no value")
    }

    private mutating func object(depth: Int) throws(YAMLError) -> YAMLNode.Content {
        var pairs: [YAMLNode.Pair] = []
        offset += 1
        skipBlanks()
        if take("}") { return .mapping(pairs) }
        repeat {
            skipBlanks()
            let start = position()
            guard peek == UInt8(ascii: "\"") else { throw error("a name in quotes is wanted") }
            let key = YAMLNode(.scalar(try string(), isPlain: false), position: start)
            skipBlanks()
            guard take(":") else { throw error("a colon is wanted") }
            skipBlanks()
            pairs.append(.init(key: key, value: try value(depth: depth + 1)))
            skipBlanks()
        } while take(",")
        guard take("}") else { throw error("a comma or } is wanted") }
        return .mapping(pairs)
    }

    private mutating func array(depth: Int) throws(YAMLError) -> YAMLNode.Content {
        var nodes: [YAMLNode] = []
        offset += 1
        skipBlanks()
        if take("]") { return .sequence(nodes) }
        repeat {
            skipBlanks()
            nodes.append(try value(depth: depth + 1))
            skipBlanks()
        } while take(",")
        guard take("]") else { throw error("a comma or ] is wanted") }
        return .sequence(nodes)
    }

    private mutating func number() throws(YAMLError) -> String {
        let start = offset
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func digits() throws(YAMLError) {
        let start = offset
        while let byte = peek, (0x30...0x39).contains(byte) { offset += 1 }
        guard offset > start else { throw error("a digit is wanted") }
    }

    // MARK: Strings

    private mutating func string() throws(YAMLError) -> String {
        offset += 1
        var text: [UInt8] = []
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                guard let valid = String(validating: text, as: UTF8.self) else { throw error("this is not UTF-8") }
                return valid
            case UInt8(ascii: "\\"):
                offset += 1
                text.append(contentsOf: String(try escape()).utf8)
            case 0..<0x20:
                throw error("a control character in a text is written as an escape")
            default:
                text.append(byte)
                offset += 1
            }
        }
        throw error("the text has no end")
    }

    private mutating func escape() throws(YAMLError) -> Unicode.Scalar {
        guard let byte = peek else { throw error("the text has no end") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let first = try unit()
            if let scalar = Unicode.Scalar(first) { return scalar }
            guard first < 0xdc00, take("\\"), take("u") else { throw error("half of a surrogate pair") }
            let second = try unit()
            guard (0xdc00...0xdfff).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (UInt32(first - 0xd800) << 10) + UInt32(second - 0xdc00))
            else { throw error("half of a surrogate pair") }
            return scalar
        default:
            throw error("there is no such escape")
        }
    }

    private mutating func unit() throws(YAMLError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("four hexadecimal digits are wanted")
            }
            value = value << 4 | UInt16(digit)
            offset += 1
        }
        return value
    }

    // MARK: Text

    private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = peek, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
            offset += 1
            if byte == 0x0a {
                line += 1
                known = (offset, 1)
            }
        }
    }

    /// Columns are code points: what continues one does not count.
    private mutating func position() -> YAMLPosition {
        let column = known.column + bytes[known.offset..<offset].count { $0 & 0xc0 != 0x80 }
        known = (offset, column)
        return YAMLPosition(line: line, column: column)
    }

    private mutating func error(_ words: String) -> YAMLError { YAMLError(.syntax, at: position(), words) }
}
