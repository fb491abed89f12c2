// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Somebody who is told of changes.
public struct ReceiverSettings: Sendable, Hashable {
    /// How somebody is told.
    public enum Channel: Sendable, Hashable {
        /// A request for each message.
        case webhook(WebhookSettings)
        /// One of Prometheus' Alertmanagers.
        case alertmanager(AlertmanagerSettings)

        /// The kind's name in configuration and interface.
        public var name: String {
            switch self {
            case .webhook: "webhook"
            case .alertmanager: "alertmanager"
            }
        }
    }

    /// Its name, unlike that of all others; the place where it left off is kept under it.
    public var name: String
    /// How it is told.
    public var channel: Channel
    /// What it is told.
    public var filter = NotificationFilter()
    /// How much of it at once.
    public var pace = MessagePace()
    /// How often it is tried.
    public var retry = RetrySettings()

    /// Creates a receiver.
    public init(name: String, channel: Channel) {
        self.name = name
        self.channel = channel
    }
}
