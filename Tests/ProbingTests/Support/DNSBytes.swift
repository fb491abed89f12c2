// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

@testable import Probing

/// Answers as a name server makes them.
enum DNSBytes {
    /// A record: the name as a pointer to the question's.
    static func record(_ type: DNSRecordType, _ data: [UInt8], ttl: UInt8 = 60) -> [UInt8] {
        [0xC0, 12] + word(type.rawValue) + word(1) + [0, 0, 0, ttl] + word(UInt16(data.count)) + data
    }

    static func name(_ text: String) -> [UInt8] {
        text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    static func word(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

    /// The answer to a question as it came in, without the length that TCP puts before it.
    static func answer(_ question: [UInt8], _ records: [[UInt8]], code: UInt8 = 0, flags: UInt8 = 0x81) -> [UInt8] {
        guard question.count >= 12 else { return [] }
        return Array(question[..<2]) + [flags, 0x80 | code, 0, 1] + word(UInt16(records.count)) + [0, 0, 0, 0]
            + question[12...] + records.flatMap { $0 }
    }

    /// For TCP.
    static func framed(_ message: [UInt8]) -> [UInt8] { word(UInt16(message.count)) + message }
}
