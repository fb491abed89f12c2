// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// Echo requests, and the tolerated loss of replies.
package struct ICMPProbeSettings: Sendable, Hashable {
    /// The number of requests; 1 to 1,000.
    package var count: Int
    /// The interval between requests; the last one waits for its reply until the run's timeout.
    package var spacing: Duration
    /// The payload size in bytes, 0 to 65,000.
    package var size: Int
    /// The time to live, or hop limit, 1 to 255; nil for the system's default.
    package var timeToLive: UInt8?
    /// Whether to forbid fragmentation; packets that are too big then fail.
    package var dontFragment: Bool
    /// The share of lost requests, 0 to 1, above which the run is `degraded`.
    package var degradedLoss: Double
    /// The share of lost requests, 0 to 1, above which the run fails; losing all always fails.
    package var failedLoss: Double

    /// Creates settings; everything has a default.
    package init(
        count: Int = 1,
        spacing: Duration = .milliseconds(200),
        size: Int = 56,
        timeToLive: UInt8? = nil,
        dontFragment: Bool = false,
        degradedLoss: Double = 0,
        failedLoss: Double = 1
    ) {
        self.count = count
        self.spacing = spacing
        self.size = size
        self.timeToLive = timeToLive
        self.dontFragment = dontFragment
        self.degradedLoss = degradedLoss
        self.failedLoss = failedLoss
    }
}

extension ICMPProbeSettings: ProbeSettings {
    static let description = ProbeKindDescription(
        "icmp",
        synonyms: ["ping", "echo"],
        title: "a host replies to a ping",
        port: .none,
        fields: [
            Field(
                "icmp",
                .object(ObjectSchema("echo requests", fields: keys.fields(of: Self()))),
                example: "{ count: 3 }",
                synonyms: ["ping"],
                "The echo requests."
            )
        ],
        answer: ICMPStatistics.self
    )

    private static let keys: [Setting<Self>] = [
        Setting("count", \.count, .integer(1...1_000), synonyms: ["packets"], "The number of echo requests."),
        Setting(
            "spacing",
            \.spacing,
            .duration(milliseconds: 1...60_000),
            synonyms: ["period"],
            "The interval between echo requests."
        ),
        Setting(
            "size",
            \.size,
            .integer(0...65_000),
            synonyms: ["payload_size"],
            "The payload size."
        ),
        Setting(
            "ttl",
            \.timeToLive,
            .integer(1...255),
            synonyms: ["hop_limit"],
            "The time to live. Default: the system's."
        ),
        Setting(
            "dont_fragment",
            \.dontFragment,
            .boolean,
            synonyms: ["df"],
            "Whether to forbid fragmentation; a packet that is too big then fails."
        ),
        Setting(
            "degraded_loss_percent",
            \.degradedLossPercent,
            .integer(0...100),
            "The packet loss above which the target is degraded."
        ),
        Setting(
            "failed_loss_percent",
            \.failedLossPercent,
            .integer(0...100),
            synonyms: ["max_loss"],
            "The packet loss above which the probe fails; losing all packets always does."
        ),
    ]

    init?(_ declaration: inout ProbeDeclaration) {
        self.init()
        guard let icmp = declaration.object.object("icmp") else { return }
        Self.keys.read(icmp, into: &self)
        guard spacing * (count - 1) >= declaration.timeout else { return }
        let hint = "reduce count or spacing, or increase the timeout"
        declaration.complain(.conflict, at: "icmp", "the last request is sent after the timeout", hint: hint)
    }

    private var degradedLossPercent: Int {
        get { Int((degradedLoss * 100).rounded()) }
        set { degradedLoss = Double(newValue) / 100 }
    }

    private var failedLossPercent: Int {
        get { Int((failedLoss * 100).rounded()) }
        set { failedLoss = Double(newValue) / 100 }
    }

    var askedPort: UInt16? { nil }

    func asking(_ target: ProbeTarget, hasPort: Bool, hostname: String?) throws(ProbeTargetError) -> ProbeKind {
        guard target.port == nil else { throw ProbeTargetError("has a port, which icmp does not use") }
        return .icmp(self)
    }

    func attempt(_ context: AttemptContext, _ services: ProbeServices) -> any ProbeAttempt {
        ICMPProbe(self, context, services.echo)
    }
}
