// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// Events that were recorded and are not in the log.
package struct EventGap: Sendable, Hashable {
    /// The number of the first that is missing.
    package let first: UInt64
    /// The number of the last that is missing.
    package let last: UInt64
    /// Since when the log was not written.
    package let began: Timestamp
    /// Since when it was again.
    package let ended: Timestamp
    /// Why.
    package let reason: HistoryError.Code

    /// Creates a gap.
    package init(first: UInt64, last: UInt64, began: Timestamp, ended: Timestamp, reason: HistoryError.Code) {
        self.first = first
        self.last = last
        self.began = began
        self.ended = ended
        self.reason = reason
    }
}
