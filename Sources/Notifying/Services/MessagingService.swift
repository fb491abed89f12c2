// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing
package import Schema

/// A messaging service that takes messages in its own form, by its name in the configuration.
///
/// Each service is declared in a file of its own beside this one: its keys, and the request that it makes of a message.
package struct MessagingService: Sendable {
    /// Where a service's requests go.
    enum Server: Sendable {
        /// A server that a key `url` names; with a default, it may be absent.
        case base(defaultURL: String?)
        /// A URL that is a secret: the key `url`, or a file that has it.
        case hook
    }

    /// The name in the configuration and in `/status`.
    package let name: String
    /// What the key is for, in one sentence.
    package let summary: String
    /// An example of its keys, as YAML on one line.
    package let example: String
    /// Names of its keys in other programs, for hints.
    package let synonyms: [String]
    /// Where its requests go.
    let server: Server
    /// The URLs of its servers by region, of which the key `region` names one; empty: it has one server for all.
    package let regions: [String: String]
    /// The keys of this service alone. All are texts; those that end in `_file` name files with secrets.
    package let fields: [Field]
    /// Whether it keeps incidents itself: it holds one open until it is notified of the end.
    let keepsIncidents: Bool
    /// Whether it shows an acknowledgement at the message about the incident's begin, so that it is notified of that, too.
    let showsAcknowledgements: Bool
    /// Makes the request for a message.
    let request: @Sendable (MessageCard, ServiceDraft) throws(ProbeFault) -> ServiceRequest

    init(
        _ name: String,
        server: Server,
        regions: [String: String] = [:],
        example: String,
        synonyms: [String] = [],
        _ summary: String,
        fields: [Field],
        keepsIncidents: Bool = false,
        showsAcknowledgements: Bool = false,
        request: @escaping @Sendable (MessageCard, ServiceDraft) throws(ProbeFault) -> ServiceRequest
    ) {
        self.name = name
        self.server = server
        self.regions = regions
        self.example = example
        self.synonyms = synonyms
        self.summary = summary
        self.fields = fields
        self.keepsIncidents = keepsIncidents
        self.showsAcknowledgements = showsAcknowledgements
        self.request = request
    }

    /// All services, in the order of the documentation.
    package static let all: [MessagingService] = [
        .ntfy, .telegram, .discord, .slack, .mattermost, .teams, .matrix, .pushover, .gotify, .pagerduty, .opsgenie,
    ]

    /// Returns the service with a name; nil for an unknown one.
    package static func named(_ name: String) -> MessagingService? { all.first { $0.name == name } }

    /// The URL that is used without a key `url`; nil when one is needed.
    package var defaultURL: String? {
        if case .base(let url) = server { url } else { nil }
    }

    /// Whether the URL is a secret that may be in a file.
    package var takesURLFile: Bool {
        if case .hook = server { true } else { false }
    }

    /// The key of services whose webhooks have a name that a message can replace.
    static let username = Field(
        "username",
        .text(.line),
        example: "reachd",
        synonyms: ["user"],
        "The name that messages are shown under. Default: the webhook's."
    )
}
