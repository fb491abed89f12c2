// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Monitoring

/// Which changes of a target's state are wanted.
public struct TransitionQuery: Sendable, Hashable {
    /// Not before this moment.
    public var from: Timestamp?
    /// Before this moment.
    public var to: Timestamp?
    /// At most so many.
    public var limit: Int
    /// Where the last page ended; nil for the newest.
    public var cursor: TransitionCursor?

    /// Creates a query.
    public init(from: Timestamp? = nil, to: Timestamp? = nil, limit: Int = 100, cursor: TransitionCursor? = nil) {
        self.from = from
        self.to = to
        self.limit = limit
        self.cursor = cursor
    }
}
