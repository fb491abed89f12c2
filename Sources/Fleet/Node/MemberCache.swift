// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A member's use of its ``AssignmentCache``: what the file had at the start, and whether it is out of date. On one event loop's
/// thread.
final class MemberCache {
    private let cache: AssignmentCache
    private let owner: CachedAssignments.Owner
    /// What the file had at the start, until the database is known to have newer assignments.
    private(set) var cached: CachedAssignments?
    /// The fleet's identity, from the file or from the database.
    private var fleet: String?
    /// The local epoch and the tokens that the file has, or will have soon; nil before it has any.
    private var requested: (epoch: String, tokens: [AssignmentKey: UInt64])?

    init(_ cache: AssignmentCache, owner: CachedAssignments.Owner) {
        (self.cache, self.owner) = (cache, owner)
    }

    var status: AssignmentCache.Status { cache.status }

    /// Reads the file; nil when there is none that can be used.
    func load() -> CachedAssignments? {
        guard let found = cache.load(owner) else { return nil }
        (cached, fleet, requested) = (found, found.identity, (found.epoch, [:]))
        return found
    }

    /// The database has newer assignments.
    func supersede() { cached = nil }

    /// Takes the fleet's identity in the database: tokens of another fleet mean nothing here.
    ///
    /// - Returns: whether the file's contents are refused.
    func refuse(unlessOf identity: String) -> Bool {
        fleet = identity
        guard let cached, cached.identity != identity else { return false }
        self.cached = nil
        cache.refuse(AssignmentCacheError(.otherFleet, "the database is another fleet's"))
        return true
    }

    /// Whether the file refers to another epoch of the local log.
    func isOutdated(for epoch: String) -> Bool { requested.map { $0.epoch != epoch } ?? false }

    /// Whether the file has other tokens.
    func isOutdated(for assignments: [OwnAssignment]) -> Bool { requested?.tokens != Self.tokens(assignments) }

    /// Has the file written soon.
    func write(_ targets: [AssignedTarget], _ assignments: [OwnAssignment], held: HeldTargets, epoch: String) {
        guard let fleet else { return }
        requested = (epoch, Self.tokens(assignments))
        cache.save { [owner] in held.cached(targets, of: owner, identity: fleet) }
    }

    private static func tokens(_ assignments: [OwnAssignment]) -> [AssignmentKey: UInt64] {
        Dictionary(assignments.map { ($0.key, $0.token) }) { first, _ in first }
    }
}
