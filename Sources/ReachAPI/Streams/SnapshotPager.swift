// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Walks through the targets page by page, so that a stream never holds more than one page of them.
///
/// The position is that of the first page. Later pages may already show what events behind the position tell: a client
/// may hear something twice and misses nothing.
struct SnapshotPager {
    /// Targets in one page: some 90 kB of JSON.
    static let pageLength = 100

    private var after: UInt64 = 0
    private var total = 0
    /// The number of the last event before the first page; nil before that.
    private(set) var position: UInt64?

    /// The next page; its `next` is nil when it is the last one.
    mutating func page(of registry: Registry, filter: TargetFilter) -> (listing: TargetListing, total: Int) {
        let listing = TargetListing(
            registry,
            filter: filter,
            after: after,
            limit: Self.pageLength,
            isCounted: position == nil
        )
        if position == nil {
            position = listing.sequence
            total = listing.total ?? 0
        }
        after = listing.next ?? after
        return (listing, total)
    }
}
