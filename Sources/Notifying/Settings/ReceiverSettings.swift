// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Somebody who is told of changes.
package struct ReceiverSettings: Sendable, Hashable {
    /// How somebody is told.
    package enum Channel: Sendable, Hashable {
        /// A request for each message.
        case webhook(WebhookSettings)
        /// One of Prometheus' Alertmanagers.
        case alertmanager(AlertmanagerSettings)

        /// The kind's name in configuration and interface.
        package var name: String {
            switch self {
            case .webhook: "webhook"
            case .alertmanager: "alertmanager"
            }
        }
    }

    /// Its name, unlike that of all others; the place where it left off is kept under it.
    package var name: String
    /// How it is told.
    package var channel: Channel
    /// What it is told.
    package var filter = NotificationFilter()
    /// How much of it at once.
    package var pace = MessagePace()
    /// How often it is tried.
    package var retry = RetrySettings()

    /// Creates a receiver.
    package init(name: String, channel: Channel) {
        self.name = name
        self.channel = channel
    }
}
