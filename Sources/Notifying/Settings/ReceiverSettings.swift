// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Probing

/// A receiver of notifications.
package struct ReceiverSettings: Sendable, Hashable {
    /// The type of a receiver.
    package enum Channel: Sendable, Hashable {
        /// A request for each message.
        case webhook(WebhookSettings)
        /// One of Prometheus' Alertmanagers.
        case alertmanager(AlertmanagerSettings)
        /// A messaging service, with a request in its own form for each message.
        case service(ServiceSettings)
        /// A mail for each message.
        case email(MailSettings)

        /// Whether its service keeps incidents itself (``MessagingService/keepsIncidents``).
        var keepsIncidents: Bool { service?.keepsIncidents ?? false }

        /// Whether it is notified of acknowledgements (``MessagingService/showsAcknowledgements``).
        var showsAcknowledgements: Bool { service?.showsAcknowledgements ?? false }

        private var service: MessagingService? {
            guard case .service(let settings) = self else { return nil }
            return MessagingService.named(settings.service)
        }

        /// The kind's name in configuration and interface.
        package var name: String {
            switch self {
            case .webhook: "webhook"
            case .alertmanager: "alertmanager"
            case .service(let settings): settings.service
            case .email: "email"
            }
        }
    }

    /// What happens with the fleet's notifications while a node cannot reach the fleet's database; raw values are words of the
    /// configuration.
    package enum CutOffBehaviour: String, Sendable, Hashable, CaseIterable {
        /// The node notifies of what it sees itself.
        case notify
        /// They follow when the database is back.
        case wait
    }

    /// Its name, unlike that of all others; the place where it left off is kept under it.
    package var name: String
    /// The type of the receiver.
    package var channel: Channel
    /// Which changes it gets.
    package var filter = NotificationFilter()
    /// How bad it is that some targets fail.
    package var severities = SeverityRules()
    /// How much of it at once.
    package var pace = MessageRate()
    /// When.
    package var schedule = MessageSchedule()
    /// How often it is tried.
    package var retry = RetrySettings()
    /// What happens while the node is cut off from its fleet.
    package var whenCutOff = CutOffBehaviour.notify

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
    /// The URL of each message; nil: that of the request.
    package var urlTemplate: URLTemplate?
    /// The URL of reachd's page, for links; nil for none.
    package var externalURL: String?
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
    /// How often an active alert is sent: well below Alertmanager's `resolve_timeout`.
    package var resendInterval: Duration = .seconds(60)
    /// Labels of every alert.
    package var labels: [String: String] = [:]
    /// The prefix of `generatorURL`; nil for none.
    package var externalURL: String?

    /// Whether a text is a valid name of a label, and not one that reachd sets.
    package static func isLabelName(_ text: String) -> Bool { Alert.labelName(text) == text }

    /// Creates settings; everything but the request has a default.
    package init(request: HTTPProbeSettings) {
        self.request = request
    }
}
