// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// A message as a model takes it: read once, because reading is what takes the time.
struct ModelMessage {
    /// A target's change, or an alert.
    struct Part {
        /// The target, or the alert's labels behind it.
        let name: String
        /// The state after; empty for an alert.
        var state = ""
        /// The event's number; 0 for an alert.
        var sequence: UInt64 = 0
        let isOver: Bool
    }

    let body: String
    let parts: [Part]
}

/// What a receiver knows from what it gets, and what of that a sender may repeat after a kill.
protocol ModelReceiver {
    /// What it got and should not have.
    var faults: [String] { get }
    /// What it still holds to be firing.
    var unresolved: [String] { get }

    func isResolved(_ target: String) -> Bool
    /// Reads a message that is sent at this time.
    func read(_ reading: MessageReading, at moment: Timestamp) -> ModelMessage
    /// Takes note of what is sent; it may never arrive.
    mutating func note(_ message: ModelMessage)
    /// Gets a message.
    mutating func take(_ message: ModelMessage)
    /// The sender gets the acknowledgement.
    mutating func accept(_ message: ModelMessage)
    /// The sender's place is kept.
    mutating func keep()
    /// The sender begins anew from the place that was kept last.
    mutating func restart()
}
