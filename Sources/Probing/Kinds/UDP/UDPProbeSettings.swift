// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// A datagram and its reply.
package struct UDPProbeSettings: Sendable, Hashable {
    /// The expected reply.
    package enum Reply: Sendable, Hashable {
        /// None: success when no ICMP error arrives within a time, limited by the run's timeout. A firewall that drops
        /// packets looks the same.
        case notExpected(patience: Duration = .milliseconds(500))
        /// Any datagram.
        case any
        /// A datagram that matches the pattern.
        case matching(ProbePattern)
    }

    /// The port to send to.
    package var port: UInt16
    /// The payload; may be empty.
    package var payload: [UInt8]
    /// The expected reply.
    package var reply: Reply

    /// Creates settings.
    package init(port: UInt16, payload: [UInt8], reply: Reply = .any) {
        self.port = port
        self.payload = payload
        self.reply = reply
    }
}

extension UDPProbeSettings: ProbeSettings {
    static let description = ProbeKindDescription(
        "udp",
        title: "a datagram gets a reply",
        port: .needed,
        fields: [
            Field(
                "payload",
                .text(.script),
                example: #""\x1b""#,
                synonyms: ["send", "body_text"],
                "The payload."
            )
        ],
        expectations: [
            Field(
                "reply",
                .text(.pattern),
                example: #"".""#,
                synonyms: ["response"],
                "A regular expression that must match the reply. A udp probe needs this, silence or reachable: false."
            ),
            Field(
                "silence",
                .boolean,
                defaultValue: "false",
                "Success when no ICMP error returns and the network path is known to work."
            ),
        ],
        questions: [
            .init(["payload"], "Sent"), .init(["expect", "reply"], "Expected in the reply", defaultValue: "."),
        ]
    )

    init?(_ declaration: inout ProbeDeclaration) {
        Self.checkReply(&declaration)
        guard let port = declaration.port() else { return nil }
        let payload = Array((declaration.object.text("payload") ?? "").utf8)
        let expect = declaration.expectation
        if expect?.boolean("silence") == true {
            self.init(port: port, payload: payload, reply: .notExpected())
        } else {
            self.init(port: port, payload: payload, reply: expect?.special("reply").map(Reply.matching) ?? .any)
        }
    }

    /// Requires an explicit expectation: silence of a port proves nothing.
    private static func checkReply(_ declaration: inout ProbeDeclaration) {
        let expect = declaration.expectation
        let isSilenceEnough = expect?.boolean("silence") == true
        let isUnreachable = expect?.boolean("reachable") == false
        if isSilenceEnough, isUnreachable {
            let words = "reachable: false already expects silence"
            declaration.complain(.conflict, in: "expect", at: "silence", words, hint: "remove it")
        }
        if isSilenceEnough, expect?.has("reply") == true {
            declaration.complain(.conflict, in: "expect", at: "silence", "a reply is expected already")
        }
        guard expect?.has("reply") != true, !isSilenceEnough, !isUnreachable else { return }
        declaration.complain(
            .missingKey,
            at: "expect",
            "a udp probe needs an expectation, because silence alone proves nothing",
            hint:
                "write payload and expect: { reply: \".\" } for a server that replies, or expect: { silence: true } when "
                + "the absence of ICMP errors is enough"
        )
    }

    var askedPort: UInt16? { port }

    func asking(_ target: ProbeTarget, hasPort: Bool, hostname: String?) throws(ProbeTargetError) -> ProbeKind {
        var settings = self
        settings.port = try target.port(orIf: hasPort, port)
        return .udp(settings)
    }

    func attempt(_ context: AttemptContext, _ services: ProbeServices) -> any ProbeAttempt { UDPProbe(self, context) }
}
