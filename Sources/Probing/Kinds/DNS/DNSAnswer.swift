// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a name server said.
package struct DNSAnswer: Sendable, Hashable {
    /// The response code.
    package let code: DNSResponseCode
    /// Whether the server says that it is the authority.
    package let isAuthoritative: Bool
    /// The records of the answer section, at most 256.
    package let answers: [DNSRecord]
    /// The least time to live of the answers, in seconds; nil without one.
    package let timeToLive: UInt32?
    /// How many records the authority section announces.
    package let authorityCount: Int
    /// How many records the additional section announces.
    package let additionalCount: Int
}

extension DNSAnswer: ProbeAnswer {
    package static let kind: StaticString = "dns"

    package static let facts: [Fact<Self>] = [
        Fact("rcode", "Response code") { .text($0.code.description) },
        Fact("answers", "Records") { answer in
            // A record can be as long as a message, and the server that sent it may be anybody.
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

    /// Records are addresses, or names that lead to them.
    package var hidingAddress: Self? { nil }
}

extension ProbeResult {
    /// The answer to a dns probe.
    package var dns: DNSAnswer? { answers.first() }
}

/// Whether an answer is what the settings expect. Pure.
enum DNSExpectation {
    static func fault(in answer: DNSAnswer, for settings: DNSProbeSettings) -> ProbeFault? {
        guard settings.expectedCodes.contains(answer.code) else {
            return ProbeFault(reason: .unexpectedResponseCode, detail: "the server answers \(answer.code)")
        }
        if settings.requiresAuthority, !answer.isAuthoritative {
            return ProbeFault(reason: .unexpectedAnswer, detail: "the server is not the authority")
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
    /// One line for people.
    var summary: String {
        guard let first = answers.first else { return "\(code), no records" }
        let more = answers.count > 1 ? " and \(answers.count - 1) more" : ""
        return "\(code), \(first.type) \(first.data)\(more)"
    }
}
