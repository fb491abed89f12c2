// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// Parses the parts of a message, never beyond its end.
struct DNSReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func word() -> UInt16? {
        guard let high = byte(), let low = byte() else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    mutating func long() -> UInt32? {
        guard let high = word(), let low = word() else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }

    /// Reads a name in wire form, following pointers; at most 255 bytes.
    ///
    /// Each pointer must lead before the start of the current labels, so that parsing terminates.
    mutating func wireName() -> [UInt8]? {
        var name: [UInt8] = []
        var cursor = position
        var start = position
        var end: Int?
        while cursor < bytes.count {
            let length = Int(bytes[cursor])
            switch length >> 6 {
            case 0:
                guard cursor + length < bytes.count, name.count + length < 255 else { return nil }
                name += bytes[cursor...(cursor + length)]
                cursor += length + 1
                guard length == 0 else { continue }
                position = end ?? cursor
                return name
            case 3:
                guard cursor + 1 < bytes.count else { return nil }
                let target = (length & 0x3F) << 8 | Int(bytes[cursor + 1])
                guard target < start else { return nil }
                if end == nil { end = cursor + 2 }
                start = target
                cursor = target
            default:
                return nil
            }
        }
        return nil
    }

    mutating func record() -> DNSRecord? {
        guard let name = wireName(), let type = word(), word() != nil, let timeToLive = long(), let size = word()
        else { return nil }
        let end = position + Int(size)
        guard end <= bytes.count else { return nil }
        let type_ = DNSRecordType(rawValue: type)
        // Limit the reader to the record's data; names in it may point to anything before.
        var inner = DNSReader(Array(bytes[..<end]))
        inner.position = position
        guard let data = inner.data(of: type_), inner.position == end else { return nil }
        position = end
        // A TTL with the highest bit set counts as zero (RFC 2181, section 8).
        return DNSRecord(
            name: Self.text(ofName: name),
            type: type_,
            timeToLive: timeToLive >> 31 == 0 ? timeToLive : 0,
            data: data
        )
    }

    private mutating func data(of type: DNSRecordType) -> String? {
        switch type {
        case .a: return address(4)
        case .aaaa: return address(16)
        case .ns, .cname, .ptr: return name()
        case .mx:
            guard let preference = word(), let host = name() else { return nil }
            return "\(preference) \(host)"
        case .srv:
            guard let priority = word(), let weight = word(), let port = word(), let host = name() else { return nil }
            return "\(priority) \(weight) \(port) \(host)"
        case .soa:
            guard let server = name(), let mailbox = name(), let serial = long(), let refresh = long(),
                let retry = long(), let expire = long(), let minimum = long()
            else { return nil }
            return "\(server) \(mailbox) \(serial) \(refresh) \(retry) \(expire) \(minimum)"
        case .txt: return texts()
        default:
            let rest = bytes[position...]
            position = bytes.count
            let digits = rest.prefix(1_024).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return "\\# \(rest.count)" + (digits.isEmpty ? "" : " \(digits)")
        }
    }

    private mutating func address(_ size: Int) -> String? {
        guard position + size <= bytes.count else { return nil }
        let part = Array(bytes[position..<(position + size)])
        position += size
        return unsafe part.withUnsafeBytes { unsafe IPAddress(networkBytes: $0) }?.description
    }

    private mutating func name() -> String? {
        wireName().map(Self.text(ofName:))
    }

    private mutating func texts() -> String? {
        var whole: [UInt8] = []
        while let length = byte() {
            guard position + Int(length) <= bytes.count else { return nil }
            whole += bytes[position..<(position + Int(length))]
            position += Int(length)
        }
        return Self.escape(whole, also: [])
    }

    /// Returns the text of a name in wire form, with a trailing dot; characters other than letters, digits and signs
    /// become `\DDD`.
    static func text(ofName wire: [UInt8]) -> String {
        var text = ""
        var rest = wire[...]
        while let length = rest.popFirst(), length > 0 {
            text += escape(rest.prefix(Int(length)), also: [UInt8(ascii: "."), UInt8(ascii: " ")]) + "."
            rest = rest.dropFirst(Int(length))
        }
        return text.isEmpty ? "." : text
    }

    private static func escape(_ bytes: some Sequence<UInt8>, also special: [UInt8]) -> String {
        var text = ""
        for byte in bytes {
            if (0x20..<0x7F).contains(byte), byte != UInt8(ascii: "\\"), !special.contains(byte) {
                text.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                let digits = String(byte)
                text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            }
        }
        return text
    }
}

/// A record of an answer.
package struct DNSRecord: Sendable, Hashable {
    /// The owner name, with a trailing dot.
    package let name: String
    /// Its type.
    package let type: DNSRecordType
    /// The TTL in seconds.
    package let timeToLive: UInt32
    /// The data as in a zone file: `10 mail.example.`; the strings of a TXT record joined; other types as `\# 2 0aff`.
    package let data: String
}
