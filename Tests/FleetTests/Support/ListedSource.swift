// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring

/// A node's event log in memory.
final class ListedSource: ReportSource {
    private(set) var epoch = "e1"
    private(set) var newest: UInt64 = 0
    /// The first event that the log still has.
    private var first: UInt64 = 1
    private var events: [Report?] = []
    private var states: [String: Report] = [:]
    private var confirmations: [Report] = []
    /// Every report that was made, by kind and order.
    private(set) var pulls = 0

    static func key(_ shard: Int, location: String = "berlin") -> AssignmentKey {
        AssignmentKey(shard: Shard(placement: 1, number: shard), location: location)
    }

    /// Records a change of a target's state.
    func vote(
        _ target: String,
        _ state: TargetState,
        shard: Int = 0,
        token: UInt64 = 1,
        detail: String? = nil,
        at: Duration = .seconds(1_000)
    ) {
        newest += 1
        let observation = Report.Observation(
            target: target,
            state: state,
            cause: state == .down ? .target : nil,
            reason: nil,
            detail: detail,
            since: at
        )
        events.append(.vote(observation, sequence: newest, key: Self.key(shard), token: token, at: at))
        states[target] = .state(observation, key: Self.key(shard), token: token, at: at)
    }

    /// Records events that are not reported.
    func otherEvents(_ count: Int) {
        newest += UInt64(count)
        events += [Report?](repeating: nil, count: count)
    }

    /// Records that a shard was probed.
    func confirm(_ shard: Int, token: UInt64 = 1) {
        confirmations.append(
            .confirmed(Self.key(shard), token: token, sequence: newest, at: .seconds(1_000))
        )
    }

    /// Drops the oldest events.
    func trim(_ count: Int) {
        let dropped = min(count, events.count)
        events.removeFirst(dropped)
        first += UInt64(dropped)
    }

    /// Begins another epoch: an empty log, and the states as they are.
    func beginEpoch(_ epoch: String, from sequence: UInt64 = 0) {
        self.epoch = epoch
        events = []
        newest = sequence
        first = sequence + 1
    }

    /// The current state of a target.
    func state(of target: String) -> TargetState? { states[target]?.observation?.state }
    var targets: [String] { states.keys.sorted() }

    func reports(after sequence: UInt64, limit: Int, bytes: Int) -> ReportPage {
        pulls += 1
        guard sequence < newest else { return .events([], through: newest) }
        guard sequence + 1 >= first else { return .gap }
        var reports: [Report] = []
        var size = 0
        var through = sequence
        for event in events[Int(sequence + 1 - first)...] {
            if let event {
                size += event.size
                if !reports.isEmpty, size > bytes || reports.count == limit { break }
                reports.append(event)
            }
            through += 1
        }
        return .events(reports, through: through)
    }

    func states(after cursor: String?, limit: Int, bytes: Int) -> StatePage {
        let sorted = targets
        let rest = cursor.map { cursor in sorted.drop { $0 <= cursor } } ?? sorted[...]
        let page = rest.prefix(limit)
        let isLast = page.count == rest.count
        return StatePage(reports: page.compactMap { states[$0] }, next: isLast ? nil : page.last)
    }

    func takeAdditions(through sequence: UInt64, limit: Int) -> [Report] {
        let taken = confirmations.prefix { $0.sequence <= sequence }.prefix(limit)
        confirmations.removeFirst(taken.count)
        return Array(taken)
    }
}
