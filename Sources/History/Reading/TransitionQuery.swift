// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// Which changes of a target's state are wanted.
package struct TransitionQuery: Sendable, Hashable {
    /// Not before this moment.
    package var from: Timestamp?
    /// Before this moment.
    package var to: Timestamp?
    /// At most so many.
    package var limit: Int
    /// Where the last page ended; nil for the newest.
    package var cursor: TransitionCursor?

    /// Creates a query.
    package init(from: Timestamp? = nil, to: Timestamp? = nil, limit: Int = 100, cursor: TransitionCursor? = nil) {
        self.from = from
        self.to = to
        self.limit = limit
        self.cursor = cursor
    }
}
