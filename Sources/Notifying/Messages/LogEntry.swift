// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// What receivers see of an event of the log.
enum LogEntry: Sendable, Hashable {
    /// A target changed its state.
    case change(StateChange)
    /// A target is gone: a change to `unknown` that nothing follows.
    case removal(StateChange)
    /// Nothing that anybody is told.
    case other(sequence: UInt64)

    init(_ event: StoredEvent, epoch: String) {
        if let change = StateChange(event, epoch: epoch) {
            self = .change(change)
        } else if event.type == .target, event.data.starts(with: Self.removed),
            let removal = StateChange(removal: event, epoch: epoch)
        {
            self = .removal(removal)
        } else {
            self = .other(sequence: event.sequence)
        }
    }

    var sequence: UInt64 {
        switch self {
        case .change(let change), .removal(let change): change.sequence
        case .other(let sequence): sequence
        }
    }

    /// How the data of a `target` event begins.
    private static let removed = Array(#"{"action":"removed""#.utf8)
}
