// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import LinuxIO
import Probing
import Schema

extension MessagingService {
    /// Matrix: an event in a room, whose transaction is the message's id, so that a repetition is shown once
    /// (https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid).
    static let matrix = MessagingService(
        "matrix",
        server: .base(defaultURL: nil),
        example: "{ url: https://matrix.example.org, room: \"!abc:example.org\", token_file: /run/secrets/matrix }",
        "The Matrix room that messages are sent to.",
        fields: [
            Field(
                "room",
                .text(.line),
                example: "\"!abc:example.org\"",
                isRequired: true,
                synonyms: ["room_id"],
                "The room's internal id."
            ),
            Field(
                "token_file",
                .text(.path),
                example: "/run/secrets/matrix",
                isRequired: true,
                synonyms: ["token", "access_token"],
                "File with the access token as its only line."
            ),
        ]
    ) { card, draft throws(ProbeFault) in
        let lines = [card.markedTitle.shortened(to: 500)] + card.lines.map { $0.shortened(to: 1_000) }
        let link = card.link.map { ["<a href=\"\(Markup.escape($0))\">Open in reachd</a>"] } ?? []
        let rows = card.lines.map { Markup.escape($0.shortened(to: 1_000)) } + link
        let heading = "<strong>\(Markup.escape(card.markedTitle.shortened(to: 500)))</strong>"
        var json = JSONWriter()
        json.object { json in
            json.member("msgtype", card.look == .info ? "m.notice" : "m.text")
            json.member("body", (lines + [card.link].compactMap(\.self)).joined(separator: "\n"))
            json.member("format", "org.matrix.custom.html")
            json.member("formatted_body", ([heading] + rows).joined(separator: "<br>"))
        }
        let room = URLText.escaped(draft.text("room") ?? "")
        let transaction = URLText.escaped("reachd-\(card.id)")
        let path = "/_matrix/client/v3/rooms/\(room)/send/m.room.message/\(transaction)"
        var request = ServiceRequest(url: try draft.url(path), body: json.take())
        request.method = "PUT"
        request.headers = [("Authorization", "Bearer \(try draft.secret("token_file") ?? "")")]
        return request
    }
}
