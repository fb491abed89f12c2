// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Probing
import Schema

extension MessagingService {
    /// Mattermost: an incoming webhook with an attachment (https://developers.mattermost.com/integrate/webhooks/incoming/).
    static let mattermost = MessagingService(
        "mattermost",
        server: .hook,
        example: "{ url_file: /run/secrets/mattermost-webhook }",
        "The incoming webhook of a Mattermost channel.",
        fields: [
            Field("channel", .text(.line), example: "alerts", "The channel. Default: the webhook's."),
            username,
        ]
    ) { card, draft throws(ProbeFault) in
        var json = JSONWriter()
        json.object { json in
            json.member("channel", optional: draft.text("channel"))
            json.member("username", optional: draft.text("username"))
            json.key("attachments")
            json.array { json in
                json.object { json in
                    json.member("fallback", card.markedTitle.shortened(to: 500))
                    json.member("color", card.look.hexadecimalColor)
                    json.member("title", card.markedTitle.shortened(to: 500))
                    json.member("title_link", optional: card.link)
                    json.member("text", optional: card.sentence?.shortened(to: 2_000).withoutMentions)
                    json.key("fields")
                    json.array(card.facts) { json, fact in
                        json.object { json in
                            json.member("title", fact.name)
                            json.member("value", fact.text.shortened(to: 500).withoutMentions)
                            json.member("short", fact.text.count <= 40)
                        }
                    }
                }
            }
        }
        return ServiceRequest(url: try draft.url(), body: json.take())
    }
}

extension String {
    /// With a character of no width behind each @, so that no text of a target notifies a person or a channel.
    fileprivate var withoutMentions: String {
        var text = ""
        for character in unicodeScalars {
            text.unicodeScalars.append(character)
            if character == "@" { text.unicodeScalars.append("\u{200B}") }
        }
        return text
    }
}
