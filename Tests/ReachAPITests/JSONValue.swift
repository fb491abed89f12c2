// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// JSON read back strictly, so that a test sees what a client would: no comments, no trailing commas, no member twice.
enum JSONValue: Hashable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    subscript(path: [String]) -> JSONValue? { path.reduce(self) { $0?[$1] } }

    var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    var number: Double? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    var array: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    var keys: Set<String> {
        guard case .object(let members) = self else { return [] }
        return Set(members.keys)
    }

    struct Malformed: Error {
        let position: Int
    }

    init(parsing bytes: [UInt8]) throws {
        var parser = Parser(bytes: bytes)
        self = try parser.value(depth: 0)
        parser.skipBlanks()
        guard parser.position == bytes.count else { throw Malformed(position: parser.position) }
    }

    init(parsing text: String) throws { try self.init(parsing: Array(text.utf8)) }

    private struct Parser {
        let bytes: [UInt8]
        var position = 0

        mutating func skipBlanks() {
            while position < bytes.count, [0x20, 0x0a, 0x0d, 0x09].contains(bytes[position]) { position += 1 }
        }

        mutating func take(_ text: String) -> Bool {
            guard bytes[position...].starts(with: text.utf8) else { return false }
            position += text.utf8.count
            return true
        }

        mutating func value(depth: Int) throws -> JSONValue {
            skipBlanks()
            guard position < bytes.count, depth < 32 else { throw Malformed(position: position) }
            if take("null") { return .null }
            if take("true") { return .boolean(true) }
            if take("false") { return .boolean(false) }
            switch bytes[position] {
            case UInt8(ascii: "\""): return .string(try string())
            case UInt8(ascii: "["): return try array(depth: depth)
            case UInt8(ascii: "{"): return try object(depth: depth)
            default: return try number()
            }
        }

        mutating func array(depth: Int) throws -> JSONValue {
            position += 1
            var elements: [JSONValue] = []
            skipBlanks()
            if take("]") { return .array([]) }
            repeat {
                elements.append(try value(depth: depth + 1))
                skipBlanks()
            } while take(",")
            guard take("]") else { throw Malformed(position: position) }
            return .array(elements)
        }

        mutating func object(depth: Int) throws -> JSONValue {
            position += 1
            var members: [String: JSONValue] = [:]
            skipBlanks()
            if take("}") { return .object([:]) }
            repeat {
                skipBlanks()
                let name = try string()
                skipBlanks()
                guard members[name] == nil, take(":") else { throw Malformed(position: position) }
                members[name] = try value(depth: depth + 1)
                skipBlanks()
            } while take(",")
            guard take("}") else { throw Malformed(position: position) }
            return .object(members)
        }

        mutating func number() throws -> JSONValue {
            let start = position
            while position < bytes.count, "+-.eE0123456789".utf8.contains(bytes[position]) { position += 1 }
            let text = String(decoding: bytes[start..<position], as: UTF8.self)
            guard text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil,
                let value = Double(text)
            else { throw Malformed(position: start) }
            return .number(value)
        }

        mutating func string() throws -> String {
            guard take("\"") else { throw Malformed(position: position) }
            var text: [UInt8] = []
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                switch byte {
                case UInt8(ascii: "\""):
                    guard let string = String(validating: text, as: UTF8.self) else {
                        throw Malformed(position: position)
                    }
                    return string
                case UInt8(ascii: "\\"): text += try escape()
                case 0..<0x20: throw Malformed(position: position)
                default: text.append(byte)
                }
            }
            throw Malformed(position: position)
        }

        private mutating func escape() throws -> [UInt8] {
            guard position < bytes.count else { throw Malformed(position: position) }
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "u"), position + 4 <= bytes.count,
                let code = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16),
                let scalar = Unicode.Scalar(code)
            {
                position += 4
                return Array(String(scalar).utf8)
            }
            let plain: [UInt8: UInt8] = [
                0x22: 0x22, 0x5c: 0x5c, 0x2f: 0x2f, 0x62: 0x08, 0x66: 0x0c, 0x6e: 0x0a, 0x72: 0x0d, 0x74: 0x09,
            ]
            guard let result = plain[byte] else { throw Malformed(position: position) }
            return [result]
        }
    }
}
