// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// The writing into one opened log, until it fails. Touched by the recorder's loop only.
final class RecordingSession {
    enum Phase {
        /// Events are written that readers have seen already.
        case catchingUp
        /// Readers wait for what is written; the log does not know yet under which epoch.
        case adopting
        /// Readers wait for what is written.
        case recording
    }

    let store: any EventStore
    var phase: Phase
    /// Under which promise readers wait.
    var term: Registry.DurabilityLease?
    /// The number of the last event that was taken from the registry.
    var position: UInt64
    /// Taken, and not handed to the log.
    private(set) var pending: [RecordedEvent] = []
    private var pendingBytes = 0
    /// The number of the last event that is in the log.
    var committed: UInt64
    /// The log is at work.
    var isBusy = false
    var patience: TimerToken?
    /// What was lost before this session could begin, or while it caught up.
    var gaps: [EventGap]
    /// Whether the log lacks events that tell of incidents, so that all of them are written once more.
    var lacksIncidents: Bool
    /// Events written since the log was last trimmed.
    var sinceTrim = 0
    var isTrimDue = true
    /// The log's last work was a step of trimming.
    var hasJustTrimmed = false
    var trimTimer: TimerToken?
    /// Runs when no event came for a while.
    var restTimer: TimerToken?

    init(
        store: any EventStore,
        phase: Phase,
        term: Registry.DurabilityLease?,
        position: UInt64,
        gaps: [EventGap] = [],
        lacksIncidents: Bool = false
    ) {
        self.store = store
        self.phase = phase
        self.term = term
        self.position = position
        committed = position
        self.gaps = gaps
        self.lacksIncidents = lacksIncidents
    }

    func hasRoom(_ count: Int, bytes: Int) -> Bool { pending.count < count && pendingBytes < bytes }

    func take(_ events: [RecordedEvent]) {
        pending += events
        pendingBytes += events.reduce(0) { $0 + $1.cost }
        position = events.last?.sequence ?? position
    }

    /// Gives away the first of what is pending, at most `limit` events.
    func handOver(limit: Int) -> [RecordedEvent] {
        let batch = Array(pending.prefix(limit))
        pending.removeFirst(batch.count)
        pendingBytes -= batch.reduce(0) { $0 + $1.cost }
        return batch
    }
}
