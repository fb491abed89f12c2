// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import Probing
import Schema

extension MessagingService {
    /// Discord: an embed of a channel's webhook (https://docs.discord.com/developers/resources/webhook#execute-webhook).
    static let discord = MessagingService(
        "discord",
        server: .hook,
        example: "{ url_file: /run/secrets/discord-webhook }",
        "The webhook of a Discord channel.",
        fields: [
            username
        ]
    ) { card, draft throws(ProbeFault) in
        var json = JSONWriter()
        json.object { json in
            json.member("username", optional: draft.text("username"))
            // No text of a target notifies a person or a role.
            json.member("allowed_mentions") { json in
                json.key("parse")
                json.array { _ in }
            }
            json.key("embeds")
            json.array { json in
                json.object { json in
                    json.member("title", card.markedTitle.shortened(to: 256))
                    json.member("description", optional: card.sentence?.shortened(to: 2_000))
                    json.member("url", optional: card.link)
                    json.member("color", card.look.color)
                    json.member("timestamp", card.at)
                    json.key("fields")
                    json.array(card.facts.prefix(25)) { json, fact in
                        json.object { json in
                            json.member("name", fact.name.shortened(to: 256))
                            json.member("value", fact.text.shortened(to: 500))
                            json.member("inline", fact.text.count <= 40)
                        }
                    }
                }
            }
        }
        return ServiceRequest(url: try draft.url(), body: json.take())
    }
}
