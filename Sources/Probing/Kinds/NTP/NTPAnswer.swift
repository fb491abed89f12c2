// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A time server's reply.
package struct NTPAnswer: Hashable, Sendable {
    /// Whether the last minute of the day has a leap second (RFC 5905, figure 9).
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

    /// The server's clock minus this machine's; negative when the server is behind.
    package let offset: Duration
    /// The round trip without the server's processing time.
    package let delay: Duration
    /// The stratum: the number of servers up to the reference clock, including this one; 1 to 15.
    package let stratum: Int
    /// The round trip from the server to the reference clock.
    package let rootDelay: Duration
    /// The server's own estimate of its maximum error.
    package let rootDispersion: Duration
    /// Whether a leap second is announced.
    package let leap: Leap
    /// The server's time source.
    package let source: String

    /// Computes offset and delay from the four timestamps of an exchange (RFC 5905, section 8).
    ///
    /// - Parameters:
    ///   - sent: The departure of the request, by this machine's clock.
    ///   - received: The arrival of the reply, by the same clock.
    init(_ message: NTPMessage, sent: NTPTime, received: NTPTime) {
        offset = (message.receiveTime.since(sent) + message.transmitTime.since(received)) / 2
        delay = max(.zero, received.since(sent) - message.transmitTime.since(message.receiveTime))
        stratum = message.stratum
        rootDelay = message.rootDelay
        rootDispersion = message.rootDispersion
        leap = message.leap
        source = message.source
    }

    /// The absolute offset.
    var distance: Duration { offset < .zero ? .zero - offset : offset }
}

extension NTPAnswer: ProbeAnswer {
    package static let kind: StaticString = "ntp"

    package static let facts: [Fact<Self>] = [
        Fact(
            "offset_seconds",
            "Offset",
            metric: .init("probe_ntp_offset_seconds", "The server's clock minus this machine's.")
        ) { .difference($0.offset) },
        Fact(
            "delay_seconds",
            "Round trip",
            metric: .init("probe_ntp_delay_seconds", "Round trip without the server's processing time.")
        ) { .duration($0.delay) },
        Fact(
            "stratum",
            "Stratum",
            metric: .init("probe_ntp_stratum", "Number of servers up to the reference clock, including this one.")
        ) { .integer($0.stratum) },
        Fact("root_delay_seconds", "Root delay") { .duration($0.rootDelay) },
        Fact(
            "root_dispersion_seconds",
            "Root dispersion",
            metric: .init("probe_ntp_root_dispersion_seconds", "The server's estimate of its maximum error.")
        ) { .duration($0.rootDispersion) },
        Fact("leap", "Leap second") { .text($0.leap.rawValue) },
        Fact("source", "Reference clock or server") { $0.source.isEmpty ? nil : .text($0.source) },
    ]

    package func summary(_ words: (Duration) -> String) -> String {
        let side = offset < .zero ? "behind" : "ahead"
        return "stratum \(stratum), its clock is \(words(distance)) \(side), round trip \(words(delay))"
    }

    /// The same answer without the source, which may be the address of a nearby server.
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
