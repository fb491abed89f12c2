// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import Probing
import Schema

extension MessagingService {
    /// Pushover: a message as a form (https://pushover.net/api).
    static let pushover = MessagingService(
        "pushover",
        server: .base(defaultURL: "https://api.pushover.net"),
        example: "{ token_file: /run/secrets/pushover-token, user_file: /run/secrets/pushover-user }",
        "The Pushover user or group that messages are sent to.",
        fields: [
            Field(
                "token_file",
                .text(.path),
                example: "/run/secrets/pushover-token",
                isRequired: true,
                synonyms: ["token", "application_token", "api_token"],
                "File with the application's token as its only line."
            ),
            Field(
                "user_file",
                .text(.path),
                example: "/run/secrets/pushover-user",
                isRequired: true,
                synonyms: ["user", "user_key"],
                "File with the key of the user or group as its only line."
            ),
            Field("device", .text(.line), example: "phone", "The device. Default: all of the user."),
        ]
    ) { card, draft throws(ProbeFault) in
        let text = card.text
        let body = URLText.form([
            ("token", try draft.secret("token_file")),
            ("user", try draft.secret("user_file")),
            ("device", draft.text("device")),
            ("title", card.markedTitle.shortened(to: 250)),
            ("message", text.shortened(to: 1_024)),
            ("priority", card.look.pushoverPriority),
            ("timestamp", "\(card.at.milliseconds / 1_000)"),
            ("url", card.link.flatMap { $0.count <= 512 ? $0 : nil }),
            ("url_title", card.link == nil ? nil : "Open in reachd"),
        ])
        var request = ServiceRequest(url: try draft.url("/1/messages.json"), body: body)
        request.contentType = "application/x-www-form-urlencoded"
        return request
    }
}

extension MessageCard.Look {
    /// -2 to 2; 1 is shown also in quiet hours, 2 would have to be acknowledged there.
    fileprivate var pushoverPriority: String {
        switch self {
        case .critical: "1"
        case .warning, .resolved: "0"
        case .info: "-1"
        }
    }
}
