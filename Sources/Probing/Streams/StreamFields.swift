// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// The keys of kinds that use a connection.
enum StreamFields {
    /// `dialogue`, `tls`, `starttls` and `helo`.
    static let all = [
        Field(
            "dialogue",
            .list(.object(step)),
            example: #"[ { expect: "^220 " }, { send: "QUIT\r\n" } ]"#,
            synonyms: ["query_response", "steps", "conversation"],
            "The steps of the dialogue on the connection."
        ),
        TLSSettings.field,
        Field(
            "starttls",
            .choice([.init("smtp"), .init("imap"), .init("pop3", synonyms: ["pop"]), .init("ftp")]),
            "The STARTTLS protocol."
        ),
        Field(
            "helo",
            .text(.host),
            example: "probe.example.org",
            synonyms: ["ehlo", "hello", "client_name"],
            "For starttls: smtp: the name that reachd gives to the mail server. Default: the machine's full name, or "
                + "its address."
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
                "A text to send verbatim; write line ends as \\r\\n in double quotes."
            ),
            Field(
                "expect",
                .text(.pattern),
                example: #""^220 ""#,
                synonyms: ["read", "match"],
                "A regular expression that must match the response."
            ),
        ]
    )
}

extension ProbeDeclaration {
    /// The STARTTLS protocol.
    var startTLS: StartTLSProtocol? { object.text("starttls").flatMap(StartTLSProtocol.init) }

    /// The name for a mail server.
    mutating func clientName() -> String? {
        guard object.has("helo") else { return nil }
        if startTLS != .smtp, !object.isFaulty("starttls") {
            complain(.conflict, at: "helo", "it is only for starttls: smtp")
        }
        return switch object["helo"]?.value {
        case .host(let name, _): name
        case .address(let address, _): StartTLSDialogue.clientName(nil, address)
        default: nil
        }
    }

    /// Returns the steps of the dialogue.
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
