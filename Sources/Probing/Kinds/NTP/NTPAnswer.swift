// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a time server said.
package struct NTPAnswer: Hashable, Sendable {
    /// Whether the last minute of the day has another length (RFC 5905, figure 9).
    package enum Leap: String, Hashable, Sendable {
        case none, insert, delete, unknown

        init(_ bits: UInt8) {
            switch bits & 3 {
            case 0: self = .none
            case 1: self = .insert
            case 2: self = .delete
            default: self = .unknown
            }
        }
    }

    /// How much the server's clock is ahead of this machine's; negative when it is behind.
    package let offset: Duration
    /// The round trip without what the server took.
    package let delay: Duration
    /// How many servers are between it and a clock, itself included: 1 to 15.
    package let stratum: Int
    /// The round trip from the server to the clock.
    package let rootDelay: Duration
    /// How far the server may be off its clock, as it says.
    package let rootDispersion: Duration
    /// Whether a leap second is announced.
    package let leap: Leap
    /// Where the server has its time from.
    package let source: String

    /// Computes offset and delay by the four times of an exchange (RFC 5905, section 8).
    ///
    /// - Parameters:
    ///   - sent: when the request left, by this machine's clock.
    ///   - received: when the reply came, by the same clock.
    init(_ message: NTPMessage, sent: NTPTime, received: NTPTime) {
        offset = (message.receiveTime.since(sent) + message.transmitTime.since(received)) / 2
        delay = max(.zero, received.since(sent) - message.transmitTime.since(message.receiveTime))
        stratum = message.stratum
        rootDelay = message.rootDelay
        rootDispersion = message.rootDispersion
        leap = message.leap
        source = message.source
    }

    /// How much the clocks differ.
    var distance: Duration { offset < .zero ? .zero - offset : offset }
}

extension NTPAnswer: ProbeAnswer {
    package static let kind: StaticString = "ntp"

    package static let facts: [Fact<Self>] = [
        Fact(
            "offset_seconds",
            "Offset",
            metric: .init("probe_ntp_offset_seconds", "How much the server's clock is ahead of this machine's.")
        ) { .difference($0.offset) },
        Fact(
            "delay_seconds",
            "Round trip",
            metric: .init("probe_ntp_delay_seconds", "The round trip without what the server took.")
        ) { .duration($0.delay) },
        Fact(
            "stratum",
            "Stratum",
            metric: .init("probe_ntp_stratum", "How many servers are between the server and a clock, itself included.")
        ) { .integer($0.stratum) },
        Fact("root_delay_seconds", "Round trip to the clock") { .duration($0.rootDelay) },
        Fact(
            "root_dispersion_seconds",
            "Root dispersion",
            metric: .init("probe_ntp_root_dispersion_seconds", "How far the server may be off its clock, as it says.")
        ) { .duration($0.rootDispersion) },
        Fact("leap", "Leap second") { .text($0.leap.rawValue) },
        Fact("source", "Time from") { $0.source.isEmpty ? nil : .text($0.source) },
    ]

    package func summary(_ words: (Duration) -> String) -> String {
        let side = offset < .zero ? "behind" : "ahead"
        return "stratum \(stratum), its clock is \(words(distance)) \(side), round trip \(words(delay))"
    }

    /// The source can be the address of a server beside it.
    package var hidingAddress: Self? { NTPAnswer(self, source: "") }

    private init(_ other: NTPAnswer, source: String) {
        offset = other.offset
        delay = other.delay
        stratum = other.stratum
        rootDelay = other.rootDelay
        rootDispersion = other.rootDispersion
        leap = other.leap
        self.source = source
    }
}
