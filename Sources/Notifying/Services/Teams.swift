// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Probing
import Schema

extension MessagingService {
    /// Microsoft Teams: the webhook of a workflow, with an adaptive card
    /// (https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook).
    static let teams = MessagingService(
        "teams",
        server: .hook,
        example: "{ url_file: /run/secrets/teams-webhook }",
        "The webhook of a Microsoft Teams workflow that posts in a channel.",
        fields: []
    ) { card, draft throws(ProbeFault) in
        var json = JSONWriter()
        json.object { json in
            json.member("type", "message")
            json.key("attachments")
            json.array { json in
                json.object { json in
                    json.member("contentType", "application/vnd.microsoft.card.adaptive")
                    json.member("content") { write(card, to: &$0) }
                }
            }
        }
        return ServiceRequest(url: try draft.url(), body: json.take())
    }

    private static func write(_ card: MessageCard, to json: inout JSONWriter) {
        json.member("$schema", "http://adaptivecards.io/schemas/adaptive-card.json")
        json.member("type", "AdaptiveCard")
        json.member("version", "1.4")
        json.key("body")
        json.array { json in
            json.object { json in
                json.member("type", "TextBlock")
                json.member("text", card.markedTitle.shortened(to: 500))
                json.member("size", "Medium")
                json.member("weight", "Bolder")
                json.member("color", card.look.teamsColor)
                json.member("wrap", true)
            }
            if let sentence = card.sentence {
                json.object { json in
                    json.member("type", "TextBlock")
                    json.member("text", sentence.shortened(to: 2_000))
                    json.member("wrap", true)
                }
            }
            json.object { json in
                json.member("type", "FactSet")
                json.key("facts")
                json.array(card.facts) { json, fact in
                    json.object { json in
                        json.member("title", fact.name)
                        json.member("value", fact.text.shortened(to: 500))
                    }
                }
            }
        }
        guard let link = card.link else { return }
        json.key("actions")
        json.array { json in
            json.object { json in
                json.member("type", "Action.OpenUrl")
                json.member("title", "Open in reachd")
                json.member("url", link)
            }
        }
    }
}

extension MessageCard.Look {
    /// A word of adaptive cards.
    fileprivate var teamsColor: String {
        switch self {
        case .critical: "Attention"
        case .warning: "Warning"
        case .resolved: "Good"
        case .info: "Accent"
        }
    }
}
