// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// What other threads see of a node's receivers.
final class SharedReceivers: Sendable {
    private struct State {
        var grants: [ReceiverGrant] = []
        var listeners: [@Sendable () -> Void] = []
        /// The position and the targets of ``CutOff``.
        var baseline: Int64 = 0
        var targets: Set<String> = []
    }

    private let state = Mutex(State())
    private let leaseEnd = Atomic<UInt64>(0)
    private let cutOff = Atomic<Bool>(false)

    var grants: [ReceiverGrant] { state.withLock { $0.grants } }

    /// Whether the lease is valid.
    ///
    /// - Parameter now: the time of the membership's clock, in nanoseconds.
    func isLeaseValid(at now: UInt64) -> Bool { now < leaseEnd.load(ordering: .acquiring) }

    /// Whether the node is cut off.
    var isCutOff: Bool { cutOff.load(ordering: .acquiring) }

    /// The position of the node's own log up to which the fleet notified receivers.
    var baseline: Int64 { state.withLock { $0.baseline } }

    /// Whether this node reports a target's changes while it is cut off.
    func isHeld(_ target: String) -> Bool { state.withLock { $0.targets.contains(target) } }

    func hold(_ targets: Set<String>) { state.withLock { $0.targets = targets } }

    func setCutOff(_ tracker: CutOffTracker) {
        let isNew = tracker.isCutOff && !isCutOff
        if isNew { state.withLock { $0.baseline = tracker.baseline } }
        cutOff.store(tracker.isCutOff, ordering: .releasing)
    }

    func onChange(_ listener: @escaping @Sendable () -> Void) { state.withLock { $0.listeners.append(listener) } }

    func setLease(until end: UInt64?) { leaseEnd.store(end ?? 0, ordering: .releasing) }

    func grant(_ grants: [ReceiverGrant]) {
        state.withLock { $0.grants = grants }
        notify()
    }

    func notify() {
        let listeners = state.withLock { $0.listeners }
        for listener in listeners { listener() }
    }
}
