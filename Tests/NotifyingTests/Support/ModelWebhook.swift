// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// A webhook's receiver that knows repeats by the numbers of each target's changes.
struct ModelWebhook: ModelReceiver {
    private var firing: [String: String] = [:]
    /// The newest event of each target: what is sent again after a restart is known by it.
    private var newest: [String: UInt64] = [:]
    /// Targets that are not watched or not routed any more, by the number of the end that arrived and was not acknowledged.
    private var unacknowledged: [String: UInt64] = [:]
    /// The same, of ends that arrived after the place was kept.
    private var unkept: [String: UInt64] = [:]
    /// Targets whose end may come again with another number, or as a recovery when they were declared again. The sender died before it
    /// knew, or kept, that the end arrived. Where the target was removed while reachd did not run, the log has no event of that either:
    /// what it was notified of is still open for the next sender, and an end that may not have arrived has to be sent.
    private var repeatable: Set<String> = []
    private(set) var faults: [String] = []

    var unresolved: [String] { Array(firing.keys) }

    func isResolved(_ target: String) -> Bool { firing[target] == nil }

    func read(_ reading: MessageReading, at moment: Timestamp) -> ModelMessage {
        guard let status = reading.text("$.status"), status != "info" else {
            return ModelMessage(body: reading.body, parts: [])
        }
        let parts = reading.targets.map { target, state, sequence in
            ModelMessage.Part(name: target, state: state, sequence: sequence, isOver: status == "resolved")
        }
        return ModelMessage(body: reading.body, parts: parts)
    }

    mutating func note(_ message: ModelMessage) {}

    mutating func take(_ message: ModelMessage) {
        for change in message.parts {
            let target = change.name
            guard change.sequence > newest[target, default: 0] else { continue }
            newest[target] = change.sequence
            let isRepeat = repeatable.remove(target) != nil
            if !change.isOver {
                if firing[target] == change.state { faults.append("\(target) fires twice, \(message.body)") }
                firing[target] = change.state
                continue
            }
            // `unknown`: not a recovery.
            let isEnding = change.state == "unknown"
            if firing.removeValue(forKey: target) == nil, !isRepeat {
                faults.append("\(target) is resolved without firing, \(message.body)")
            }
            if isEnding { (unacknowledged[target], unkept[target]) = (change.sequence, change.sequence) }
        }
    }

    mutating func accept(_ message: ModelMessage) {
        for change in message.parts where unacknowledged[change.name] == change.sequence {
            unacknowledged[change.name] = nil
        }
    }

    mutating func keep() { unkept = unacknowledged }

    mutating func restart() {
        repeatable = Set(unkept.keys)
        unacknowledged = unkept
    }
}
