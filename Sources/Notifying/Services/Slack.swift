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
        let title = card.title.shortened(to: 500).escapedForSlack
        let heading = card.link.map { "<\($0.escapedForSlack)|\(title)>" } ?? title
        let text = (["*\(heading)*"] + card.lines.map { $0.shortened(to: 500).escapedForSlack }).joined(separator: "\n")
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

extension String {
    /// As text in mrkdwn, which knows three entities and shows all others as they are
    /// (https://docs.slack.dev/messaging/formatting-message-text#escaping).
    fileprivate var escapedForSlack: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
