// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// An Alertmanager: an alert is its labels.
struct ModelAlertmanager: ModelReceiver {
    private var firing: Set<String> = []
    /// The alerts that were sent, whether or not they arrived, and whose end was not acknowledged.
    private var sent: Set<String> = []
    /// The same when the place was kept.
    private var kept: Set<String> = []
    /// Alerts that a sender that died did not keep: an Alertmanager ends by itself what is not sent again.
    private var forgotten: Set<String> = []
    private(set) var faults: [String] = []

    var unresolved: [String] { firing.subtracting(forgotten).sorted() }

    func isResolved(_ target: String) -> Bool { !firing.contains { $0.hasPrefix("\(target)/") } }

    func read(_ reading: MessageReading, at moment: Timestamp) -> ModelMessage {
        var parts: [ModelMessage.Part] = []
        while let target = reading.text("$[\(parts.count)].labels.target"),
            let end = reading.text("$[\(parts.count)].endsAt")
        {
            let labels = "$[\(parts.count)].labels"
            let names = ["alertname", "cause", "group"].map { reading.text("\(labels).\($0)") ?? "" }
            let name = "\(target)/" + names.joined(separator: "/")
            parts.append(ModelMessage.Part(name: name, isOver: end <= moment.description))
        }
        return ModelMessage(body: reading.body, parts: parts)
    }

    mutating func note(_ message: ModelMessage) {
        for alert in message.parts {
            if !alert.isOver {
                sent.insert(alert.name)
                forgotten.remove(alert.name)
            } else if !sent.contains(alert.name) {
                faults.append("\(alert.name) is resolved without firing")
            }
        }
    }

    mutating func take(_ message: ModelMessage) {
        for alert in message.parts {
            if alert.isOver { firing.remove(alert.name) } else { firing.insert(alert.name) }
        }
    }

    mutating func accept(_ message: ModelMessage) {
        for alert in message.parts where alert.isOver { sent.remove(alert.name) }
    }

    mutating func keep() { kept = sent }

    mutating func restart() {
        forgotten.formUnion(sent.subtracting(kept))
        sent.formUnion(kept)
    }
}
