// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Probing
import Schema

extension MessagingService {
    /// ntfy: a message as JSON, whose click opens the page (https://docs.ntfy.sh/publish/#publish-as-json). An acknowledgement and the
    /// end replace the notification of the incident's begin (https://docs.ntfy.sh/publish/#updating-deleting-notifications; older
    /// servers and apps ignore it).
    static let ntfy = MessagingService(
        "ntfy",
        server: .base(defaultURL: "https://ntfy.sh"),
        example: "{ topic: alerts-of-example-org, token_file: /run/secrets/ntfy }",
        "The ntfy topic that messages are published to.",
        fields: [
            Field("topic", .text(.line), example: "alerts-of-example-org", isRequired: true, "The topic."),
            Field(
                "token_file",
                .text(.path),
                example: "/run/secrets/ntfy",
                synonyms: ["token", "access_token"],
                "File with an access token as its only line. Default: none."
            ),
        ],
        showsAcknowledgements: true
    ) { card, draft throws(ProbeFault) in
        var json = JSONWriter()
        json.object { json in
            json.member("topic", draft.text("topic") ?? "")
            json.member("title", card.title.shortened(to: 250))
            // The server makes an attachment of a longer text.
            json.member(
                "message",
                card.text.shortened(to: 1_000)
            )
            json.member("priority", card.look.ntfyPriority)
            json.key("tags")
            json.array([card.look.ntfyTag]) { $0.string($1) }
            json.member("click", optional: card.link)
            json.member("sequence_id", optional: card.ntfySequence)
        }
        var request = ServiceRequest(url: try draft.url("/"), body: json.take())
        if let token = try draft.secret("token_file") { request.headers = [("Authorization", "Bearer \(token)")] }
        return request
    }
}

extension MessageCard {
    /// The name of the notification that the message replaces: 1 to 64 characters of `[A-Za-z0-9_-]`. Updates and reminders are
    /// notifications of their own, which make a sound.
    fileprivate var ntfySequence: String? {
        switch message.incident?.phase {
        case .opened, .acknowledged, .closed:
            String(key.map { $0 == "." ? "_" : $0 })
        case .updated, .reminder, nil: nil
        }
    }
}

extension MessageCard.Look {
    /// 1 to 5; 3 is the default.
    fileprivate var ntfyPriority: Int {
        switch self {
        case .critical: 5
        case .warning: 4
        case .resolved: 3
        case .info: 2
        }
    }

    /// The short code of the mark.
    fileprivate var ntfyTag: String {
        switch self {
        case .critical: "red_circle"
        case .warning: "orange_circle"
        case .resolved: "green_circle"
        case .info: "large_blue_circle"
        }
    }
}
