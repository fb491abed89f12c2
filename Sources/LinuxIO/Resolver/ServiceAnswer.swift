// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A server of a service (RFC 2782).
package struct ServiceRecord: Sendable, Hashable {
    /// The priority; servers with the lowest are used first.
    package let priority: UInt16
    /// The share among servers of one priority.
    package let weight: UInt16
    /// The port.
    package let port: UInt16
    /// The server's name, without the dot at its end; empty when the service does not exist there.
    package let target: String
    /// How long the record holds, in seconds.
    package let timeToLive: UInt32

    /// Creates a record from its parts.
    package init(priority: UInt16, weight: UInt16, port: UInt16, target: String, timeToLive: UInt32) {
        self.priority = priority
        self.weight = weight
        self.port = port
        self.target = target
        self.timeToLive = timeToLive
    }
}

/// The result of a look-up of a service.
package enum ServiceAnswer: Sendable, Hashable {
    /// Its records, at least one, in the order of the answer.
    case services([ServiceRecord])
    /// Any other result; never addresses.
    case failure(ResolverAnswer.Outcome)
}

/// Finds the SRV records in a DNS message. Any bytes may come in.
enum ServiceParser {
    /// The records of the answer section, at most so many.
    static func parse(_ answer: [UInt8], limit: Int) -> QuestionReply {
        var reader = DNSReader(answer)
        guard reader.word() != nil, let flags = reader.word(), let questions = reader.word(),
            let answers = reader.word(), reader.long() != nil
        else { return .failure(.serverFailure) }
        let code = UInt8(flags & 0xF)
        guard code == DNSHeader.noError else { return .failure(DNSHeader.outcome(of: code)) }
        for _ in 0..<min(questions, 1) {
            guard reader.wireName() != nil, reader.long() != nil else { return .failure(.serverFailure) }
        }
        var found: [ServiceRecord] = []
        var leastTime = UInt32.max
        // The answer section also has the aliases that lead to the records, whose times to live count too.
        for _ in 0..<answers where found.count < limit {
            guard let record = reader.rawRecord() else { return .failure(.serverFailure) }
            leastTime = min(leastTime, record.timeToLive)
            guard Int32(record.type) == DNSType.srv else { continue }
            guard let service = service(in: record, timeToLive: leastTime) else { return .failure(.serverFailure) }
            found.append(service)
        }
        return found.isEmpty ? .failure(.noData) : .services(found)
    }

    private static func service(in record: DNSReader.RawRecord, timeToLive: UInt32) -> ServiceRecord? {
        var data = record.data
        guard let priority = data.word(), let weight = data.word(), let port = data.word(), let name = data.wireName(),
            data.isAtEnd
        else { return nil }
        let text = DNSReader.text(ofName: name)
        return ServiceRecord(
            priority: priority,
            weight: weight,
            port: port,
            target: String(text.dropLast()),
            timeToLive: timeToLive
        )
    }
}
