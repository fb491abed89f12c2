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
    /// Targets whose end may come again with another number, or as a recovery when they were declared again: the sender that died did
    /// not know, or did not keep, that it arrived.
    private var repeatable: Set<String> = []
    private(set) var faults: [String] = []

    var unresolved: [String] { Array(firing.keys) }

    func isResolved(_ target: String) -> Bool { firing[target] == nil }

    mutating func note(_ message: MessageReading, at moment: Timestamp) {}

    mutating func take(_ message: MessageReading) {
        guard let status = message.text("$.status"), status != "info" else { return }
        for change in message.targets {
            let target = change.target
            guard change.sequence > newest[target, default: 0] else { continue }
            newest[target] = change.sequence
            let isRepeat = repeatable.remove(target) != nil
            if status == "firing" {
                if firing[target] == change.to { faults.append("\(target) fires twice, \(message.body)") }
                firing[target] = change.to
                continue
            }
            // `unknown`: not a recovery.
            let isEnding = change.to == "unknown"
            if firing.removeValue(forKey: target) == nil, !isRepeat {
                faults.append("\(target) is resolved without firing, \(message.body)")
            }
            if isEnding { (unacknowledged[target], unkept[target]) = (change.sequence, change.sequence) }
        }
    }

    mutating func accept(_ message: MessageReading) {
        for change in message.targets where unacknowledged[change.target] == change.sequence {
            unacknowledged[change.target] = nil
        }
    }

    mutating func keep() { unkept = unacknowledged }

    mutating func restart() {
        repeatable = Set(unkept.keys)
        unacknowledged = unkept
    }
}
