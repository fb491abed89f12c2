// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The little of the DNS's wire format that a fake server needs.
enum DNSMessage {
    /// A question as it arrived.
    struct Question: Sendable, Hashable {
        let id: UInt16
        let name: String
        /// 1 is A, 28 is AAAA.
        let type: UInt16
        let isTCP: Bool
        /// The question section's bytes.
        let section: [UInt8]
    }

    /// A record of an answer.
    struct Resource {
        var name: String
        var type: UInt16
        var timeToLive: UInt32
        var data: [UInt8]

        static func a(_ name: String, _ bytes: [UInt8], ttl: UInt32 = 60) -> Resource {
            Resource(name: name, type: 1, timeToLive: ttl, data: bytes)
        }

        static func aaaa(_ name: String, _ last: UInt8, ttl: UInt32 = 60) -> Resource {
            Resource(name: name, type: 28, timeToLive: ttl, data: documentation(last))
        }

        static func cname(_ name: String, _ target: String, ttl: UInt32 = 60) -> Resource {
            Resource(name: name, type: 5, timeToLive: ttl, data: encode(target))
        }
    }

    /// 2001:db8::LAST
    static func documentation(_ last: UInt8) -> [UInt8] {
        [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [last]
    }

    static func question(_ bytes: [UInt8], isTCP: Bool) -> Question? {
        guard bytes.count > 16 else { return nil }
        var labels: [String] = []
        var at = 12
        while at < bytes.count, bytes[at] != 0 {
            let length = Int(bytes[at])
            guard at + 1 + length < bytes.count else { return nil }
            labels.append(String(decoding: bytes[(at + 1)..<(at + 1 + length)], as: UTF8.self))
            at += 1 + length
        }
        guard at + 4 < bytes.count else { return nil }
        return Question(
            id: UInt16(bytes[0]) << 8 | UInt16(bytes[1]),
            name: labels.joined(separator: "."),
            type: UInt16(bytes[at + 1]) << 8 | UInt16(bytes[at + 2]),
            isTCP: isTCP,
            section: Array(bytes[12..<(at + 5)])
        )
    }

    static func answer(
        _ question: Question,
        _ records: [Resource] = [],
        code: UInt8 = 0,
        isTruncated: Bool = false
    ) -> [UInt8] {
        var bytes = word(question.id) + [0x81 | (isTruncated ? 2 : 0), 0x80 | code]
        bytes += word(1) + word(UInt16(records.count)) + word(0) + word(0) + question.section
        for record in records {
            bytes += encode(record.name) + word(record.type) + word(1)
            bytes += word(UInt16(record.timeToLive >> 16)) + word(UInt16(record.timeToLive & 0xFFFF))
            bytes += word(UInt16(record.data.count)) + record.data
        }
        return bytes
    }

    static func encode(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    static func word(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
}
