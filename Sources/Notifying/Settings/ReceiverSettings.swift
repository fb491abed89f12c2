// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Probing

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
    package var pace = MessageRate()
    /// How often it is tried.
    package var retry = RetrySettings()

    /// Creates a receiver.
    package init(name: String, channel: Channel) {
        self.name = name
        self.channel = channel
    }
}

/// An HTTP server that takes messages.
package struct WebhookSettings: Sendable, Hashable {
    /// Where to and how; body and expectations are not meant.
    package var request: HTTPProbeSettings
    /// Headers whose values are the only line of a file, by name; read each time.
    package var headerFiles: [String: String] = [:]
    /// How long a try may take.
    package var timeout: Duration = .seconds(10)
    /// The header `Content-Type`.
    package var contentType = "application/json"
    /// The body; nil for the default one.
    package var template: MessageTemplate?
    /// The file whose only line is the key that messages are signed with; nil: they are not.
    package var secretFile: String?

    /// Creates settings; everything but the request has a default.
    package init(request: HTTPProbeSettings) {
        self.request = request
    }
}

/// One of Prometheus' Alertmanagers, by the second version of its interface.
package struct AlertmanagerSettings: Sendable, Hashable {
    /// Where to and how: the URL of `/api/v2/alerts`; method, body and expectations are not meant.
    package var request: HTTPProbeSettings
    /// Headers whose values are the only line of a file, by name; read each time.
    package var headerFiles: [String: String] = [:]
    /// How long a try may take.
    package var timeout: Duration = .seconds(10)
    /// How often an alert is sent that goes on: well below Alertmanager's `resolve_timeout`.
    package var resendInterval: Duration = .seconds(60)
    /// Labels of every alert.
    package var labels: [String: String] = [:]
    /// What `generatorURL` begins with; nil: there is none.
    package var externalURL: String?

    /// Whether a text can be the name of a label, and is none of those that reachd sets.
    package static func isLabelName(_ text: String) -> Bool { Alert.labelName(text) == text }

    /// Creates settings; everything but the request has a default.
    package init(request: HTTPProbeSettings) {
        self.request = request
    }
}
