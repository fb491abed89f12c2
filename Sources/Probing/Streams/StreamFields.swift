// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// The keys of kinds that make a connection and talk on it.
enum StreamFields {
    /// `dialogue`, `tls` and `starttls`.
    static let all = [
        Field(
            "dialogue",
            .list(.object(step)),
            example: #"[ { expect: "^220 " }, { send: "QUIT\r\n" } ]"#,
            synonyms: ["query_response", "steps", "conversation"],
            "What is said once the connection stands, step by step."
        ),
        TLSSettings.field,
        Field(
            "starttls",
            .choice([.init("smtp"), .init("imap"), .init("pop3", synonyms: ["pop"]), .init("ftp")]),
            "How the connection goes over to TLS."
        ),
    ]

    /// An element of `dialogue`.
    private static let step = ObjectSchema(
        "a step",
        fields: [
            Field(
                "send",
                .text(.script),
                example: #""QUIT\r\n""#,
                synonyms: ["write"],
                "A text that is sent as it stands; line ends are written \\r\\n in double quotes."
            ),
            Field(
                "expect",
                .text(.pattern),
                example: #""^220 ""#,
                synonyms: ["read", "match"],
                "A regular expression for what comes back."
            ),
        ]
    )
}

extension ProbeDeclaration {
    /// How the connection goes over to TLS.
    var startTLS: StartTLSProtocol? { object.text("starttls").flatMap(StartTLSProtocol.init) }

    /// What is said on the connection.
    mutating func dialogue() -> [DialogueStep] {
        var steps: [DialogueStep] = []
        for (index, step) in object.objects("dialogue") where !step.isFaulty("expect") {
            switch (step.text("send"), step.special("expect", as: ProbePattern.self)) {
            case (let text?, nil): steps.append(.send(text))
            case (nil, let pattern?): steps.append(.expect(pattern))
            default:
                let pointer = "probe/dialogue/\(index)"
                problems.add(.conflict, at: step.place, pointer: pointer, "a step has either send or expect")
            }
        }
        return steps
    }
}
