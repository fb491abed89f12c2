// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Notifying

/// Metrics of the notification receivers.
enum ReceiverMetrics {
    static func write(_ receivers: [NotificationStatus], _ writer: inout MetricsWriter) {
        let served = receivers.compactMap { receiver in
            switch receiver.fleet {
            case .here(let status)?, .cutOff(let status)?: status.value
            case .elsewhere?, nil: nil
            }
        }
        let labelled =
            receivers.map { (labels: labels($0), receiver: $0) }
            + served.map { (labels: labels($0, scope: "fleet"), receiver: $0) }
        writer.begin(
            MetricFamily("reachd_notify_state", "State of a receiver: 1 for the current state, 0 for the others.")
        )
        for (labels, receiver) in labelled {
            for state in NotificationStatus.State.allCases {
                writer.open(labels)
                writer.label("state", state.rawValue)
                writer.close(receiver.state == state ? 1 : 0)
            }
        }
        writer.begin(MetricFamily("reachd_notify_pending", "Messages and changes that wait to be sent."))
        for (labels, receiver) in labelled { writer.sample(labels, receiver.pending) }
        let counters: [(StaticString, StaticString, (NotificationStatus) -> UInt64)] = [
            ("reachd_notify_deliveries", "Requests that a receiver acknowledged.", \.delivered),
            ("reachd_notify_given_up_messages", "Messages that were discarded undelivered.", \.givenUp),
            ("reachd_notify_missed_events", "Events that were lost before a receiver was notified.", \.missed),
        ]
        for (name, help, value) in counters {
            writer.begin(MetricFamily(name, kind: .counter, help))
            for (labels, receiver) in labelled { writer.sample(labels, value(receiver)) }
        }
        let success: StaticString = "When a receiver last acknowledged a message."
        writer.begin(MetricFamily("reachd_notify_last_success_timestamp_seconds", success))
        for (labels, receiver) in labelled {
            if let moment = receiver.lastSuccess { writer.sample(labels, moment) }
        }
    }

    /// - Parameter scope: `fleet` for what this node delivers for its fleet.
    private static func labels(_ receiver: NotificationStatus, scope: String? = nil) -> [UInt8] {
        MetricsWriter.labels {
            $0.label("receiver", receiver.name)
            $0.label("type", receiver.type)
            if let scope { $0.label("scope", scope) }
        }
    }
}
