// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// What receivers share. On the loop's thread.
struct ReceiverEnvironment {
    let loop: EventLoop
    let events: any ReceiverLog
    let sender: MessageSender
    let clock: any WallClock
    let log: @Sendable (LogMessage) -> Void
    /// Whether requests may be made now.
    var permits: () -> Bool = { true }
    /// How many requests of a receiver may be repeated after the end of the process: those on their way, and those whose offset is not
    /// stored.
    var repeatLimit = Int.max
}

/// A log that receivers are served from. On the loop's thread.
protocol ReceiverLog {
    /// The number of the newest event.
    var sequence: UInt64 { get }

    /// Returns what follows a number as receivers see it; nothing while it cannot be read.
    func entries(after sequence: UInt64, limit: Int) -> EventSlice<LogEntry>

    /// The changes that led to the current states of targets that are not up.
    func problems() -> [StateChange]
}
