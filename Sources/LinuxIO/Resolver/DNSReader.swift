// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Parses the parts of a DNS message (RFC 1035, section 4), never beyond its end.
package struct DNSReader: Sendable {
    private let bytes: [UInt8]
    private var position = 0
    private var end: Int

    /// Creates a reader at the start of a message.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        end = bytes.count
    }

    /// A record whose data is not parsed.
    package struct RawRecord: Sendable {
        /// The owner's name in wire form.
        package let name: [UInt8]
        /// The type, by its number.
        package let type: UInt16
        /// The time to live in seconds; one with the highest bit set counts as zero (RFC 2181, section 8).
        package let timeToLive: UInt32
        /// A reader of the data that ends with it. Names in the data may point to anything before.
        package let data: DNSReader
    }

    /// Whether everything was read.
    package var isAtEnd: Bool { position == end }

    /// Reads 8 bits; nil at the end.
    package mutating func byte() -> UInt8? {
        guard position < end else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// Reads 16 bits; nil at the end.
    package mutating func word() -> UInt16? {
        guard let high = byte(), let low = byte() else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    /// Reads 32 bits; nil at the end.
    package mutating func long() -> UInt32? {
        guard let high = word(), let low = word() else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }

    /// Reads so many bytes; nil if there are fewer.
    package mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count <= end - position else { return nil }
        defer { position += count }
        return Array(bytes[position..<(position + count)])
    }

    /// Reads everything that is left.
    package mutating func rest() -> [UInt8] {
        defer { position = end }
        return Array(bytes[position..<end])
    }

    /// Reads a name in wire form, following pointers; at most 255 bytes.
    ///
    /// Each pointer must lead before the start of the current labels, so that parsing terminates.
    package mutating func wireName() -> [UInt8]? {
        var name: [UInt8] = []
        var cursor = position
        var start = position
        var next: Int?
        while cursor < end {
            let length = Int(bytes[cursor])
            switch length >> 6 {
            case 0:
                guard cursor + length < end, name.count + length < 255 else { return nil }
                name += bytes[cursor...(cursor + length)]
                cursor += length + 1
                guard length == 0 else { continue }
                position = next ?? cursor
                return name
            case 3:
                guard cursor + 1 < end else { return nil }
                let target = (length & 0x3F) << 8 | Int(bytes[cursor + 1])
                guard target < start else { return nil }
                if next == nil { next = cursor + 2 }
                start = target
                cursor = target
            default:
                return nil
            }
        }
        return nil
    }

    /// Reads a record without its data.
    package mutating func rawRecord() -> RawRecord? {
        guard let name = wireName(), let type = word(), word() != nil, let timeToLive = long(), let size = word()
        else { return nil }
        guard Int(size) <= end - position else { return nil }
        var data = self
        data.end = position + Int(size)
        position = data.end
        return RawRecord(name: name, type: type, timeToLive: timeToLive >> 31 == 0 ? timeToLive : 0, data: data)
    }

    /// The text of a name in wire form, with a trailing dot; characters other than letters, digits and signs become
    /// `\DDD`.
    package static func text(ofName wire: [UInt8]) -> String {
        var text = ""
        var rest = wire[...]
        while let length = rest.popFirst(), length > 0 {
            text += escape(rest.prefix(Int(length)), also: [UInt8(ascii: "."), UInt8(ascii: " ")]) + "."
            rest = rest.dropFirst(Int(length))
        }
        return text.isEmpty ? "." : text
    }

    /// The text of bytes in which all but printable ASCII characters, backslashes and some others become `\DDD`.
    package static func escape(_ bytes: some Sequence<UInt8>, also special: [UInt8] = []) -> String {
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
