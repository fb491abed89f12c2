// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import LinuxIO
import Probing
import Schema

extension MessagingService {
    /// Telegram: a bot's `sendMessage` (https://core.telegram.org/bots/api#sendmessage).
    static let telegram = MessagingService(
        "telegram",
        server: .base(defaultURL: "https://api.telegram.org"),
        example: "{ token_file: /run/secrets/telegram, chat_id: \"-1001234567890\" }",
        "The Telegram chat that a bot sends messages to.",
        fields: [
            Field(
                "token_file",
                .text(.path),
                example: "/run/secrets/telegram",
                isRequired: true,
                synonyms: ["token", "bot_token"],
                "File with the bot's token as its only line."
            ),
            Field(
                "chat_id",
                .text(.line),
                example: "\"-1001234567890\"",
                isRequired: true,
                synonyms: ["chat", "id"],
                "The chat: its number, or @NAME of a public channel."
            ),
            Field(
                "thread_id",
                .text(.line),
                example: "\"17\"",
                synonyms: ["message_thread_id", "topic_id"],
                "The number of the topic in a group with topics. Default: none."
            ),
        ]
    ) { card, draft throws(ProbeFault) in
        var text = "\(card.look.mark) <b>\(Markup.escape(card.title.shortened(to: 300)))</b>"
        for line in card.lines { text += "\n\(Markup.escape(line.shortened(to: 450)))" }
        if let link = card.link { text += "\n<a href=\"\(Markup.escape(link))\">Open in reachd</a>" }
        var json = JSONWriter()
        json.object { json in
            json.member("chat_id", draft.text("chat_id") ?? "")
            if let thread = draft.text("thread_id").flatMap({ Int64($0) }) { json.member("message_thread_id", thread) }
            json.member("text", text)
            json.member("parse_mode", "HTML")
            json.member("link_preview_options") { $0.member("is_disabled", true) }
            json.member("disable_notification", card.look == .info)
        }
        let token = try draft.secret("token_file") ?? ""
        return ServiceRequest(url: try draft.url("/bot\(token)/sendMessage"), body: json.take())
    }
}
