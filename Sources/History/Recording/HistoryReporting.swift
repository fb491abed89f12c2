// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Who knows how the durable log is. Any thread.
package protocol HistoryReporting: Sendable {
    /// How it is.
    var status: HistoryStatus { get }
    /// Whether events are safe before a client sees them; reads one atomic.
    var isDurable: Bool { get }
    /// Whether reachd is of no use without it.
    var isRequired: Bool { get }
}
