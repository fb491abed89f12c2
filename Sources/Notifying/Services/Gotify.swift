// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Probing
import Schema

extension MessagingService {
    /// Gotify: an application's message (https://gotify.net/docs/pushmsg).
    static let gotify = MessagingService(
        "gotify",
        server: .base(defaultURL: nil),
        example: "{ url: https://gotify.example.org, token_file: /run/secrets/gotify }",
        "The Gotify server that messages are sent to.",
        fields: [
            Field(
                "token_file",
                .text(.path),
                example: "/run/secrets/gotify",
                isRequired: true,
                synonyms: ["token", "app_token"],
                "File with the application's token as its only line."
            )
        ]
    ) { card, draft throws(ProbeFault) in
        var json = JSONWriter()
        json.object { json in
            json.member("title", card.markedTitle.shortened(to: 500))
            json.member(
                "message",
                card.text.shortened(to: 4_000)
            )
            json.member("priority", card.look.gotifyPriority)
            if let link = card.link {
                json.member("extras") { json in
                    json.member("client::notification") { $0.member("click") { $0.member("url", link) } }
                }
            }
        }
        var request = ServiceRequest(url: try draft.url("/message"), body: json.take())
        request.headers = [("X-Gotify-Key", try draft.secret("token_file") ?? "")]
        return request
    }
}

extension MessageCard.Look {
    /// 0 to 10; apps make a sound from 4 on.
    fileprivate var gotifyPriority: Int {
        switch self {
        case .critical: 8
        case .warning: 5
        case .resolved: 4
        case .info: 1
        }
    }
}
