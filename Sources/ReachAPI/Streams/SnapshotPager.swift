// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import NetworkPaths

/// Reads the targets page by page, so that a stream never holds more than one page.
///
/// The position is that of the first page. Later pages may already include changes of events after the position: a
/// client may receive something twice and misses nothing.
struct SnapshotPager {
    /// Targets in one page: some 90 kB of JSON.
    static let pageLength = 100

    private var after: UInt64 = 0
    private var reading: SnapshotReading?
    /// The number of targets of the whole snapshot; 0 before the first page.
    private(set) var total = 0
    /// The number of the last event before the first page; nil before that.
    private(set) var position: UInt64?

    /// The next page; nil while it is being read. Its `next` is nil when it is the last one.
    mutating func page(of source: any SnapshotSource, query: EventQuery, needsChanges: Bool) -> SnapshotPage? {
        let wanted = SnapshotRequest(
            query: query,
            after: after,
            limit: Self.pageLength,
            isFirst: position == nil,
            needsChanges: needsChanges
        )
        guard let page = source.page(wanted, reading: &reading) else { return nil }
        reading = nil
        if position == nil {
            position = page.sequence
            total = page.total
        }
        after = page.next ?? after
        return page
    }
}

/// Which targets a stream needs next.
struct SnapshotRequest {
    let query: EventQuery
    /// The ordinal of the last target that the stream has.
    let after: UInt64
    let limit: Int
    /// Whether it is the first page of a snapshot, which has the number of all.
    let isFirst: Bool
    /// Whether the initial values of the observed keys are needed.
    let needsChanges: Bool
}

/// Some targets for a stream.
struct SnapshotPage: Sendable {
    /// The number of the last event before the page was read.
    let sequence: UInt64
    /// The number of targets that match; only a first page needs it.
    let total: Int
    /// The ordinal after which the snapshot continues; nil at its end.
    let next: UInt64?
    /// K3: one notification for each key before the first change, with the new value if requested, never the old one.
    let changes: [KeyValueChange]
    /// Writes the members of the `snapshot` event, given the number of all targets and the time.
    let writeMembers: @Sendable (inout JSONWriter, _ total: Int, _ now: Timestamp) -> Void
}

/// The targets that streams of one scope begin with. Any thread; does not wait.
protocol SnapshotSource: Sendable {
    /// The next page; nil while it is being read: the streams are woken afterwards.
    ///
    /// - Parameter reading: the reading of this page, which the caller keeps between calls and clears afterwards.
    func page(_ request: SnapshotRequest, reading: inout SnapshotReading?) -> SnapshotPage?
}

/// The targets of this node.
struct NodeSnapshots: SnapshotSource {
    let source: any TargetSource

    func page(_ request: SnapshotRequest, reading: inout SnapshotReading?) -> SnapshotPage? {
        let (query, run) = (request.query, source.run)
        let listing = TargetListing(
            source,
            filter: query.filter,
            after: request.after,
            limit: request.limit,
            isCounted: request.isFirst
        )
        let resolvers = source.overview.resolvers
        return SnapshotPage(
            sequence: listing.sequence,
            total: listing.total ?? 0,
            next: listing.next,
            changes: request.needsChanges ? initialChanges(listing, query, withNetwork: request.isFirst) : []
        ) { writer, total, now in
            writer.member("network") { $0.network(listing.network, resolvers: resolvers) }
            writer.targetListMembers(listing, total: total, run: run, generatedAt: now)
        }
    }

    private func initialChanges(_ listing: TargetListing, _ query: EventQuery, withNetwork: Bool) -> [KeyValueChange] {
        let network = withNetwork && query.filter.matches(listing.network) ? [listing.network] : []
        return (network + listing.records).flatMap { record in
            query.keys.filter { $0.exists(in: record) }.map { KeyValueChange(initial: $0, of: record) }
        }
    }
}
