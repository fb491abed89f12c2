// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// An Alertmanager: an alert is its labels.
struct ModelAlertmanager: ModelReceiver {
    private struct Alert {
        let labels: String
        let isOver: Bool
    }

    private var firing: Set<String> = []
    /// The alerts that were sent, whether or not they arrived, and whose end was not acknowledged.
    private var sent: Set<String> = []
    /// The same when the place was kept.
    private var kept: Set<String> = []
    /// Alerts that a sender that died did not keep: an Alertmanager ends by itself what is not sent again.
    private var forgotten: Set<String> = []
    private var moment = Timestamp(milliseconds: 0)
    private(set) var faults: [String] = []

    var unresolved: [String] { firing.subtracting(forgotten).sorted() }

    func isResolved(_ target: String) -> Bool { !firing.contains { $0.hasPrefix("\(target)/") } }

    mutating func note(_ message: MessageReading, at moment: Timestamp) {
        self.moment = moment
        for alert in alerts(message) {
            if !alert.isOver {
                sent.insert(alert.labels)
                forgotten.remove(alert.labels)
            } else if !sent.contains(alert.labels) {
                faults.append("\(alert.labels) is resolved without firing")
            }
        }
    }

    mutating func take(_ message: MessageReading) {
        for alert in alerts(message) {
            if alert.isOver { firing.remove(alert.labels) } else { firing.insert(alert.labels) }
        }
    }

    mutating func accept(_ message: MessageReading) {
        for alert in alerts(message) where alert.isOver { sent.remove(alert.labels) }
    }

    mutating func keep() { kept = sent }

    mutating func restart() {
        forgotten.formUnion(sent.subtracting(kept))
        sent.formUnion(kept)
    }

    private func alerts(_ message: MessageReading) -> [Alert] {
        var found: [Alert] = []
        while let target = message.text("$[\(found.count)].labels.target"),
            let end = message.text("$[\(found.count)].endsAt")
        {
            let labels = "$[\(found.count)].labels"
            let names = ["alertname", "cause", "group"].map { message.text("\(labels).\($0)") ?? "" }
            found.append(Alert(labels: "\(target)/" + names.joined(separator: "/"), isOver: end <= moment.description))
        }
        return found
    }
}
