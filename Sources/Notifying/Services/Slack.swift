// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Probing
import Schema

extension MessagingService {
    /// Slack: an incoming webhook (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).
    static let slack = MessagingService(
        "slack",
        server: .hook,
        example: "{ url_file: /run/secrets/slack-webhook }",
        "The incoming webhook of a Slack channel.",
        fields: []
    ) { card, draft throws(ProbeFault) in
        let title = card.title.shortened(to: 500).escapedForHTML
        let heading = card.link.map { "<\($0.escapedForHTML)|\(title)>" } ?? title
        let text = (["*\(heading)*"] + card.lines.map { $0.shortened(to: 500).escapedForHTML }).joined(separator: "\n")
        var json = JSONWriter()
        json.object { json in
            // What notifications show.
            json.member("text", "\(card.look.mark) \(title)")
            json.key("attachments")
            json.array { json in
                json.object { json in
                    json.member("color", card.look.hexadecimalColor)
                    json.key("blocks")
                    json.array { json in
                        json.object { json in
                            json.member("type", "section")
                            json.member("text") { json in
                                json.member("type", "mrkdwn")
                                json.member("text", text.shortened(to: 3_000))
                            }
                        }
                    }
                }
            }
        }
        return ServiceRequest(url: try draft.url(), body: json.take())
    }
}
