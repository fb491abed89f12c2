// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// What a receiver knows from what it gets, and what of that a sender may repeat after a kill.
protocol ModelReceiver {
    /// What it got and should not have.
    var faults: [String] { get }
    /// What it still holds to be firing.
    var unresolved: [String] { get }

    func isResolved(_ target: String) -> Bool
    /// Takes note of what is sent, at this time; it may never arrive.
    mutating func note(_ message: MessageReading, at moment: Timestamp)
    /// Gets a message.
    mutating func take(_ message: MessageReading)
    /// The sender gets the acknowledgement.
    mutating func accept(_ message: MessageReading)
    /// The sender's place is kept.
    mutating func keep()
    /// The sender begins anew from the place that was kept last.
    mutating func restart()
}
