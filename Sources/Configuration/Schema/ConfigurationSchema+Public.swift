// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ReachAPI
import Schema

extension ConfigurationSchema {
    /// `public`.
    static let publicPage: [Key] = [
        Key(
            "title",
            \.http.api.publicPage.title,
            .text(.line),
            example: "Example status",
            synonyms: ["name", "heading"],
            "The title of the page."
        ),
        Key(
            "groups",
            \.http.api.publicPage.groups,
            .oneOrMore(.text(.line)),
            example: "[ Web, Mail ]",
            synonyms: ["group", "show"],
            "The groups of targets that the page shows, in this order. Targets of other groups, and their incidents, never appear."
        ),
        Key(
            "listen",
            .text(.listenAddress),
            comparing: \.http.publicListen,
            needsRestart: true,
            example: "127.0.0.1:7533",
            synonyms: ["address", "bind"],
            "An address that serves the page and nothing else, by HTTP. Without one the addresses of listen serve it, and no "
                + "token is needed for it there."
        ),
        Key(
            "footer",
            \.http.api.publicPage.footer,
            .text(.line),
            example: #""Questions: status@example.org""#,
            synonyms: ["contact", "text"],
            "A line at the end of the page."
        ),
        Key(
            "link",
            .text(.line),
            comparing: \.http.api.publicPage.link,
            example: "https://www.example.org",
            synonyms: ["url", "homepage"],
            "The URL that the title links to, http:// or https://."
        ),
    ]
}
