// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// A datagram and its reply.
package struct UDPProbeSettings: Sendable, Hashable {
    /// What must come back.
    package enum Reply: Sendable, Hashable {
        /// Nothing: it is enough that no ICMP error comes within a time, which the run's timeout bounds. A silent
        /// firewall looks the same.
        case notExpected(patience: Duration = .milliseconds(500))
        /// Any datagram.
        case any
        /// A datagram that matches.
        case matching(ProbePattern)
    }

    /// The port to send to.
    package var port: UInt16
    /// What to send; may be empty.
    package var payload: [UInt8]
    /// What must come back.
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
        title: "a datagram has a reply",
        port: .needed,
        fields: [
            Field(
                "payload",
                .text(.script),
                example: #""\x1b""#,
                synonyms: ["send", "body_text"],
                "What is sent."
            )
        ],
        expectations: [
            Field(
                "reply",
                .text(.pattern),
                example: #"".""#,
                synonyms: ["response"],
                "A regular expression for the reply; a probe of type udp has this, silence or reachable: false."
            ),
            Field(
                "silence",
                .boolean,
                defaultValue: "false",
                "It is enough that nobody refuses, where the way there is known to work."
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

    /// Silence of a port says nothing by itself: what counts has to be said.
    private static func checkReply(_ declaration: inout ProbeDeclaration) {
        let expect = declaration.expectation
        let isSilenceEnough = expect?.boolean("silence") == true
        let isUnreachable = expect?.boolean("reachable") == false
        if isSilenceEnough, isUnreachable {
            let words = "silence is what reachable: false expects already"
            declaration.complain(.conflict, in: "expect", at: "silence", words, hint: "remove it")
        }
        if isSilenceEnough, expect?.has("reply") == true {
            declaration.complain(.conflict, in: "expect", at: "silence", "a reply is wanted already")
        }
        guard expect?.has("reply") != true, !isSilenceEnough, !isUnreachable else { return }
        declaration.complain(
            .missingKey,
            at: "expect",
            "a probe of type udp does not say what to expect, and silence alone shows nothing",
            hint:
                "write payload and expect: { reply: \".\" } for a server that replies, or expect: { silence: true } when it is "
                + "enough that nobody refuses"
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
