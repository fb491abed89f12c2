// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// A query to a time server, and the expected answer.
package struct NTPProbeSettings: Sendable, Hashable {
    /// The server's port.
    package var port: UInt16
    /// The largest clock difference; nil for any.
    package var maximumOffset: Duration?
    /// The largest accepted stratum, 1 to 15.
    package var maximumStratum: Int

    /// Creates settings; everything has a default.
    package init(port: UInt16 = 123, maximumOffset: Duration? = nil, maximumStratum: Int = 15) {
        self.port = port
        self.maximumOffset = maximumOffset
        self.maximumStratum = maximumStratum
    }
}

extension NTPProbeSettings: ProbeSettings {
    static let description = ProbeKindDescription(
        "ntp",
        synonyms: ["time", "sntp", "chrony"],
        title: "a time server is synchronised",
        port: .standard(123),
        expectations: expected.fields(of: Self()),
        answer: NTPAnswer.self
    )

    private static let expected: [Setting<Self>] = [
        Setting(
            "max_offset",
            \.maximumOffset,
            .duration(milliseconds: 1...86_400_000),
            example: "100ms",
            synonyms: ["offset", "max_drift"],
            "The largest difference between the server's clock and this machine's; more is a failure, whichever is "
                + "wrong. Default: unlimited."
        ),
        Setting(
            "max_stratum",
            \.maximumStratum,
            .integer(1...15),
            example: "3",
            synonyms: ["stratum"],
            "The largest stratum: the number of servers up to the reference clock, including this one."
        ),
    ]

    init?(_ declaration: inout ProbeDeclaration) {
        guard let port = declaration.port(defaultValue: 123) else { return nil }
        self.init(port: port)
        if let expect = declaration.expectation { Self.expected.read(expect, into: &self) }
    }

    var askedPort: UInt16? { port }

    func asking(_ target: ProbeTarget, hasPort: Bool, hostname: String?) throws(ProbeTargetError) -> ProbeKind {
        var settings = self
        settings.port = target.port ?? port
        return .ntp(settings)
    }

    func attempt(_ context: AttemptContext, _ services: ProbeServices) -> any ProbeAttempt { NTPProbe(self, context) }

    /// Returns the fault of a reply; nil when it is as expected.
    func fault(of message: NTPMessage, _ answer: NTPAnswer) -> ProbeFault? {
        if let code = message.kissCode {
            return ProbeFault(reason: .ntpKissOfDeath, detail: "the server refuses to serve (kiss code \(code))")
        }
        if answer.leap == .unknown || !(1...15).contains(answer.stratum) {
            let words = "the server's clock is not synchronised (stratum \(answer.stratum))"
            return ProbeFault(reason: .ntpUnsynchronized, detail: words)
        }
        guard answer.stratum <= maximumStratum else {
            let words = "the stratum is \(answer.stratum), more than \(maximumStratum)"
            return ProbeFault(reason: .ntpStratum, detail: words)
        }
        if let bound = maximumOffset, answer.distance > bound {
            let words = "the clocks differ by \(answer.distance.milliseconds), more than \(bound.milliseconds)"
            return ProbeFault(reason: .ntpOffset, detail: words)
        }
        return nil
    }
}
