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
