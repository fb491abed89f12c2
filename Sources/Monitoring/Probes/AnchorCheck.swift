// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Which anchors have to answer before a silent target is blamed, and which results wait for them. What an anchor answered before
/// the target's probe began does not show that the internet was reachable then.
struct AnchorCheck {
    /// What is known of an anchor.
    struct Anchor: Hashable {
        let ordinal: UInt64
        /// When its newest probe began, in nanoseconds.
        let startedAt: UInt64
        /// Whether that probe is under way.
        let isRunning: Bool
        /// Whether that probe was silent, and its result waits for what explains it.
        let isHeld: Bool
        /// Whether the newest result that was recorded is a response.
        let responded: Bool

        /// Whether its result will come without a further probe.
        var isPending: Bool { isRunning || isHeld }
    }

    /// The shortest time between two probes of an anchor, in nanoseconds.
    private static var spacing: UInt64 { 1_000_000_000 }

    /// The ids of the anchors.
    private(set) var ids: [String]
    private var quorum: Int
    private let longAnswer: UInt64
    /// When the probes began whose results wait for anchors, by the ordinals of their targets.
    private var waiting: [UInt64: UInt64] = [:]

    /// - Parameters:
    ///   - quorum: How many anchors have to answer.
    ///   - longAnswer: The time without an answer, in nanoseconds, after which an anchor counts as silent.
    init(ids: [String], quorum: Int, longAnswer: UInt64) {
        self.ids = ids
        self.quorum = quorum
        self.longAnswer = longAnswer
    }

    // MARK: Anchors

    /// Goes on with other anchors.
    mutating func change(ids: [String], quorum: Int) { (self.ids, self.quorum) = (ids, quorum) }

    /// The anchors whose answer since a moment is missing; none when enough have answered since.
    func missing(of anchors: [Anchor], since start: UInt64) -> [Anchor] {
        let missing = anchors.filter { $0.isPending || $0.startedAt <= start }
        let answering = anchors.count { $0.responded && !$0.isPending && $0.startedAt > start }
        return answering >= quorum ? [] : missing
    }

    /// When an anchor whose answer is missing has to be probed; nil when its result will come anyway.
    func due(of anchor: Anchor, at now: UInt64) -> UInt64? {
        anchor.isPending ? nil : max(now, anchor.startedAt + Self.spacing)
    }

    /// The ordinals of the anchors that were probed after a moment and are silent so far.
    func silent(of anchors: [Anchor], since start: UInt64, at now: UInt64) -> Set<UInt64> {
        Set(
            missing(of: anchors, since: start).filter { anchor in
                anchor.isHeld || anchor.isRunning && now >= max(anchor.startedAt, start) + longAnswer
            }.map(\.ordinal)
        )
    }

    // MARK: Results

    /// Whether a result waits for anchors.
    var isAwaited: Bool { !waiting.isEmpty }

    /// The results that wait for anchors, by their targets' ordinals: when their probes began.
    var results: [(ordinal: UInt64, start: UInt64)] {
        waiting.sorted { $0.key < $1.key }.map { (ordinal: $0.key, start: $0.value) }
    }

    func isAwaited(by ordinal: UInt64) -> Bool { waiting[ordinal] != nil }

    /// Has the result of a target wait for the anchors' answers since its probe began.
    mutating func hold(_ ordinal: UInt64, since start: UInt64) { waiting[ordinal] = start }

    /// Forgets a result that does not wait for anchors any more.
    mutating func release(_ ordinal: UInt64) { waiting[ordinal] = nil }
}
