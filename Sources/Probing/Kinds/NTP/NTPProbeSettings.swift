// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// A question to a time server, and how its answer has to be.
package struct NTPProbeSettings: Sendable, Hashable {
    /// The server's port.
    package var port: UInt16
    /// How much the clocks may differ; nil for any difference.
    package var maximumOffset: Duration?
    /// The largest stratum that is right, 1 to 15.
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
        title: "a time server tells the time",
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
            "How much the server's clock and this machine's may differ; more is a failure, whichever of them is wrong. Any "
                + "difference when absent."
        ),
        Setting(
            "max_stratum",
            \.maximumStratum,
            .integer(1...15),
            example: "3",
            synonyms: ["stratum"],
            "The largest stratum that is right: how many servers may be between the server and a clock, itself included."
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

    /// What is wrong with a reply; nil when nothing is.
    func fault(of message: NTPMessage, _ answer: NTPAnswer) -> ProbeFault? {
        if let code = message.kissCode {
            return ProbeFault(reason: .ntpKissOfDeath, detail: "the server refuses to serve, its code is \(code)")
        }
        if answer.leap == .unknown || !(1...15).contains(answer.stratum) {
            let words = "the server's own clock is not synchronised, its stratum is \(answer.stratum)"
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
