// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Walks through a JSON document (RFC 8259) and keeps only what is asked for.
///
/// A document is a stranger's: it is never built in memory, and its depth is bounded.
package struct JSONScanner {
    /// The bytes are not JSON, or nested too deeply.
    package struct Malformed: Error, Hashable {
        /// Where, from the start of the document.
        package let offset: Int
    }

    static let depthLimit = 128
    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// What is at a path; of two members of one name the first counts.
    package static func find(_ path: JSONPath, in bytes: [UInt8]) throws(Malformed) -> JSONFinding {
        var scanner = JSONScanner(bytes)
        // A byte order mark is not JSON's, and many write it.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { scanner.position = 3 }
        let found = try scanner.value(path.steps[...], depth: 0)
        scanner.skipSpace()
        guard scanner.position == bytes.count else { throw scanner.malformed }
        return found
    }

    private var malformed: Malformed { Malformed(offset: position) }
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Reads a value. `steps` is the way on from here to the value that is wanted; nil when it is not inside.
    private mutating func value(_ steps: ArraySlice<JSONPath.Step>?, depth: Int) throws(Malformed) -> JSONFinding {
        guard depth < Self.depthLimit else { throw malformed }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(steps, depth: depth)
        case UInt8(ascii: "["): return try array(steps, depth: depth)
        default:
            let isWanted = steps?.isEmpty ?? false
            let scalar = try scalar(isWanted: isWanted)
            return isWanted ? .scalar(scalar) : .nothing
        }
    }

    private mutating func object(_ steps: ArraySlice<JSONPath.Step>?, depth: Int) throws(Malformed) -> JSONFinding {
        var wanted: String?
        if case .member(let name)? = steps?.first { wanted = name }
        var found: JSONFinding?
        position += 1
        skipSpace()
        if next != UInt8(ascii: "}") {
            while true {
                skipSpace()
                guard next == UInt8(ascii: "\"") else { throw malformed }
                let name = try string(isWanted: wanted != nil && found == nil)
                skipSpace()
                try take(":")
                if found == nil, let wanted, name == wanted {
                    found = try value(steps?.dropFirst(), depth: depth + 1)
                } else {
                    _ = try value(nil, depth: depth + 1)
                }
                skipSpace()
                guard next == UInt8(ascii: ",") else { break }
                position += 1
            }
        }
        try take("}")
        return steps?.isEmpty == true ? .container : found ?? .nothing
    }

    private mutating func array(_ steps: ArraySlice<JSONPath.Step>?, depth: Int) throws(Malformed) -> JSONFinding {
        var wanted: Int?
        if case .element(let index)? = steps?.first { wanted = index }
        var found = JSONFinding.nothing
        position += 1
        skipSpace()
        if next != UInt8(ascii: "]") {
            var index = 0
            while true {
                if index == wanted {
                    found = try value(steps?.dropFirst(), depth: depth + 1)
                } else {
                    _ = try value(nil, depth: depth + 1)
                }
                index += 1
                skipSpace()
                guard next == UInt8(ascii: ",") else { break }
                position += 1
            }
        }
        try take("]")
        return steps?.isEmpty == true ? .container : found
    }

    private mutating func scalar(isWanted: Bool) throws(Malformed) -> JSONScalar {
        switch next {
        case UInt8(ascii: "\""): return .string(try string(isWanted: isWanted))
        case UInt8(ascii: "t"):
            try take("true")
            return .boolean(true)
        case UInt8(ascii: "f"):
            try take("false")
            return .boolean(false)
        case UInt8(ascii: "n"):
            try take("null")
            return .null
        default: return .number(try number(isWanted: isWanted))
        }
    }

    /// A string's text; "" when it is not wanted.
    private mutating func string(isWanted: Bool) throws(Malformed) -> String {
        position += 1
        var units: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return isWanted ? String(decoding: units, as: UTF8.self) : ""
            case UInt8(ascii: "\\"):
                position += 1
                let scalar = try escape()
                if isWanted { units += Array(String(Character(scalar)).utf8) }
            case 0..<0x20:
                throw malformed
            default:
                position += 1
                if isWanted { units.append(byte) }
            }
        }
        throw malformed
    }

    private mutating func escape() throws(Malformed) -> Unicode.Scalar {
        guard let byte = next else { throw malformed }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let first = try hexadecimal()
            if let scalar = Unicode.Scalar(first) { return scalar }
            // Half of a pair; alone it is no character.
            let start = position
            guard first < 0xDC00, next == UInt8(ascii: "\\") else { return "\u{FFFD}" }
            position += 1
            guard next == UInt8(ascii: "u") else {
                position = start
                return "\u{FFFD}"
            }
            position += 1
            let second = try hexadecimal()
            guard (0xDC00..<0xE000).contains(second) else {
                position = start
                return "\u{FFFD}"
            }
            let code = 0x10000 + ((UInt32(first) - 0xD800) << 10) + (UInt32(second) - 0xDC00)
            return Unicode.Scalar(code) ?? "\u{FFFD}"
        default:
            throw malformed
        }
    }

    private mutating func hexadecimal() throws(Malformed) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw malformed }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }

    private mutating func number(isWanted: Bool) throws(Malformed) -> Double {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        if next == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if next == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        guard isWanted else { return 0 }
        // Double reads what JSON calls a number, and infinity for one that is too large.
        return Double(String(decoding: bytes[start..<position], as: UTF8.self)) ?? .infinity
    }

    private mutating func digits() throws(Malformed) {
        let start = position
        while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
        guard position > start else { throw malformed }
    }

    private mutating func take(_ text: StaticString) throws(Malformed) {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { throw malformed }
        for index in 0..<count {
            guard unsafe bytes[position] == text.utf8Start[index] else { throw malformed }
            position += 1
        }
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }
}
