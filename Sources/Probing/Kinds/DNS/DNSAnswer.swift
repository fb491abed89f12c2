// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A name server's response.
package struct DNSAnswer: Sendable, Hashable {
    /// The response code.
    package let code: DNSResponseCode
    /// Whether the response is authoritative.
    package let isAuthoritative: Bool
    /// The records of the answer section, at most 256.
    package let answers: [DNSRecord]
    /// The minimum TTL of the answers, in seconds; nil without answers.
    package let timeToLive: UInt32?
    /// The record count of the authority section, from the header.
    package let authorityCount: Int
    /// The record count of the additional section, from the header.
    package let additionalCount: Int
}

extension DNSAnswer: ProbeAnswer {
    package static let kind: StaticString = "dns"

    package static let facts: [Fact<Self>] = [
        Fact("rcode", "Response code") { .text($0.code.description) },
        Fact("answers", "Records") { answer in
            // A record can be as long as a message, and its sender is untrusted.
            .texts(
                answer.answers.prefix(16).map { record in
                    String("\(record.name) \(record.type) \(record.data)".unicodeScalars.prefix(512))
                }
            )
        },
        Fact("ttl_seconds", "Time to live") { $0.timeToLive.map { .integer(Int($0)) } },
    ]

    package func summary(_ words: (Duration) -> String) -> String {
        let records = answers.prefix(4).map { "\($0.type) \(String($0.data.unicodeScalars.prefix(128)))" }
        return ([code.description] + records).joined(separator: ", ")
    }

    /// Nil: records are addresses, or names that lead to them.
    package var hidingAddress: Self? { nil }
}

extension ProbeResult {
    /// The answer to a dns probe.
    package var dns: DNSAnswer? { answers.first() }
}

/// Checks an answer against the settings. Pure.
enum DNSExpectation {
    static func fault(in answer: DNSAnswer, for settings: DNSProbeSettings) -> ProbeFault? {
        guard settings.expectedCodes.contains(answer.code) else {
            return ProbeFault(reason: .unexpectedResponseCode, detail: "the server responded \(answer.code)")
        }
        if settings.requiresAuthority, !answer.isAuthoritative {
            return ProbeFault(reason: .unexpectedAnswer, detail: "the answer is not authoritative")
        }
        let records = answer.answers.filter { $0.type == settings.type || settings.type == .any }
        if answer.code == .noError, records.count < settings.minimumAnswers {
            let detail = "\(records.count) records of type \(settings.type), \(settings.minimumAnswers) expected"
            return ProbeFault(reason: .unexpectedAnswer, detail: detail)
        }
        for pattern in settings.requiredAnswers where !answer.answers.contains(where: { pattern.matches($0.data) }) {
            return ProbeFault(reason: .unexpectedAnswer, detail: "no record matches \(pattern.text)")
        }
        for pattern in settings.refusedAnswers {
            if let record = answer.answers.first(where: { pattern.matches($0.data) }) {
                return ProbeFault(reason: .unexpectedAnswer, detail: "\(record.data) matches \(pattern.text)")
            }
        }
        return nil
    }
}

extension DNSAnswer {
    /// Returns one line for people.
    var summary: String {
        guard let first = answers.first else { return "\(code), no records" }
        let more = answers.count > 1 ? " and \(answers.count - 1) more" : ""
        return "\(code), \(first.type) \(first.data)\(more)"
    }
}
