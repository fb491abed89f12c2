// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The node's own history as the source of what it stores in the fleet's database.
package protocol NodeRollupSource: Sendable {
    /// Reads the completed buckets of the fleet's targets that begin at a moment, page by page. Any thread; does not wait.
    ///
    /// - Parameters:
    ///   - length: how long the buckets are.
    ///   - start: where they begin, in milliseconds since 1970.
    ///   - place: ``NodeRollupPage/next`` of the page before; nil for the first page.
    ///   - limit: how many targets to look at; above 0.
    ///   - bytes: how many bytes of data to return; one bucket is returned even when it is larger.
    ///   - completion: called once, on any thread; never after the source was closed.
    func read(
        _ length: RollupLength,
        start: Int64,
        after place: Int64?,
        limit: Int,
        bytes: Int,
        completion: @escaping @Sendable (NodeRollupAnswer) -> Void
    )
}

/// An answer of the node's history.
package enum NodeRollupAnswer: Sendable {
    /// Some buckets.
    case page(NodeRollupPage)
    /// The buckets are not made of their parts yet.
    case incomplete
    /// The history cannot be read: why.
    case unreadable(String)
}

/// The buckets of some targets.
package struct NodeRollupPage: Sendable {
    /// The targets' ids.
    package let targets: [String]
    /// What is known of each, in the form of the node's history.
    package let data: [[UInt8]]
    /// Where the next page begins; nil after the last one.
    package let next: Int64?

    /// Creates a page; there are as many data as targets.
    package init(targets: [String], data: [[UInt8]], next: Int64?) {
        (self.targets, self.data, self.next) = (targets, data, next)
    }
}
