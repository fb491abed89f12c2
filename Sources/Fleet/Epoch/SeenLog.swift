// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// The newest event of the fleet's log that this node has seen, and may have sent to clients and receivers. Any thread.
///
/// The log's reader and the membership both record it, on connections of their own. The membership compares it with the log on each new
/// connection: a log that does not have it has lost data.
package final class SeenLog: Sendable {
    private struct State {
        var mark: LogMark?
        var isDoubted = false
    }

    private let state = Mutex(State())

    /// Creates a value of a node that has seen nothing.
    package init() {}

    /// The newest event; nil before the first one.
    var mark: LogMark? { state.withLock { $0.mark } }

    /// Whether the membership must compare the log with ``mark``.
    var isDoubted: Bool { state.withLock { $0.isDoubted } }

    /// Takes an event of a log that continues the seen one. While there is a doubt, it is only kept that there is one.
    func record(_ mark: LogMark) {
        state.withLock { state in
            guard !state.isDoubted else { return }
            if let known = state.mark, known.epoch == mark.epoch, known.sequence >= mark.sequence { return }
            state.mark = mark
        }
    }

    /// The log that was read may not continue the seen one.
    func doubt() { state.withLock { if $0.mark != nil { $0.isDoubted = true } } }

    /// The membership has compared: the log has what was seen, or has begun another epoch.
    func settle(_ mark: LogMark) {
        state.withLock { if $0.isDoubted { $0 = State(mark: mark) } }
        // Otherwise the reader may have seen more meanwhile.
        record(mark)
    }
}
