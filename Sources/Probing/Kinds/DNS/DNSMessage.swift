// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// Parses a response. Bounded for any input: at most 256 records are kept, names follow only backward pointers, and
/// nothing is read beyond the end.
enum DNSMessage {
    enum Outcome: Equatable {
        case answer(DNSAnswer)
        /// The response was truncated.
        case truncated
        /// Wrong identifier, wrong question, or not a response.
        case forAnotherQuestion
        /// For this question, but malformed.
        case malformed(String)
    }

    private static let recordLimit = 256

    static func parse(_ bytes: [UInt8], for question: DNSQuestion) -> Outcome {
        var reader = DNSReader(bytes)
        guard let id = reader.word(), id == question.id, let flags = reader.word(), flags & 0x8000 != 0,
            let questions = reader.word(), let answers = reader.word(), let authority = reader.word(),
            let additional = reader.word()
        else { return .forAnotherQuestion }
        let code = DNSResponseCode(rawValue: UInt8(flags & 0xF))
        // A server that could not parse the question may omit it.
        if questions == 0, code != .noError, answers == 0 {
            return .answer(answer(code, flags, [], authority, additional))
        }
        guard questions == 1, let name = reader.wireName(), let type = reader.word(), let recordClass = reader.word(),
            name.map(lowercase) == question.name.map(lowercase), type == question.type.rawValue,
            recordClass == question.recordClass
        else { return .forAnotherQuestion }
        if flags & 0x0200 != 0 { return .truncated }
        var records: [DNSRecord] = []
        for _ in 0..<min(Int(answers), recordLimit) {
            guard let record = reader.record() else {
                return .malformed("record \(records.count + 1) of \(answers) cannot be read")
            }
            records.append(record)
        }
        return .answer(answer(code, flags, records, authority, additional))
    }

    private static func answer(
        _ code: DNSResponseCode,
        _ flags: UInt16,
        _ records: [DNSRecord],
        _ authority: UInt16,
        _ additional: UInt16
    ) -> DNSAnswer {
        DNSAnswer(
            code: code,
            isAuthoritative: flags & 0x0400 != 0,
            answers: records,
            timeToLive: records.map(\.timeToLive).min(),
            authorityCount: Int(authority),
            additionalCount: Int(additional)
        )
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// A question in wire form (RFC 1035, section 4).
struct DNSQuestion {
    let id: UInt16
    /// The name in wire form.
    let name: [UInt8]
    let type: DNSRecordType
    let recordClass: UInt16
    let recursionDesired: Bool

    /// Returns nil when the name has an empty label, a label of more than 63 bytes, or more than 255 bytes in all.
    init?(id: UInt16, name: String, type: DNSRecordType, recordClass: UInt16, recursionDesired: Bool) {
        var wire: [UInt8] = []
        let bytes = Array(name.utf8)
        let body = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes[...]
        if !body.isEmpty {
            for label in body.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
                guard (1...63).contains(label.count) else { return nil }
                wire.append(UInt8(label.count))
                wire += label
            }
        }
        wire.append(0)
        guard wire.count <= 255 else { return nil }
        self.id = id
        self.name = wire
        self.type = type
        self.recordClass = recordClass
        self.recursionDesired = recursionDesired
    }

    /// The message without the length prefix of TCP.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes += [UInt8(id >> 8), UInt8(id & 0xFF), recursionDesired ? 1 : 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        bytes += name
        bytes += [UInt8(type.rawValue >> 8), UInt8(type.rawValue & 0xFF)]
        bytes += [UInt8(recordClass >> 8), UInt8(recordClass & 0xFF)]
        return bytes
    }
}
