// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
package import Monitoring

/// A node's event log as the source of its reports: the changes of state and of certificates of the targets that the fleet assigned to
/// it. On one event loop's thread.
package final class NodeReports: ReportSource {
    fileprivate struct Held: Sendable {
        let key: AssignmentKey
        /// The token under which its observations count.
        let token: UInt64
        /// The newest event when the token was learned: earlier observations do not count under it. In this run's own numbers, which
        /// do not change when events are moved behind those of an earlier run.
        let beginning: Int64
        /// Since when the state is what it is, as the last report had it.
        var since: Duration?
        /// Whether a state was reported under the token. Before that, `unknown` only means that this node has not probed the target
        /// often enough, and the predecessor's vote remains.
        var isReported = false
    }

    private let events: any BlockingEventSource & TargetSource
    private let wall: any WallClock
    private let location: String
    /// The newest event of an earlier run, in this run's own numbers; see ``restore(_:)``.
    private var earlierRun = Int64.min
    private var held: [String: Held] = [:]
    /// The ids of ``held``, sorted, so that pages of states have an order.
    private var ids: [String] = []
    /// The token of each shard that is not confirmed, and its targets that were not evaluated yet.
    private var awaited: [AssignmentKey: (token: UInt64, targets: Set<String>)] = [:]
    /// Confirmations, and states of targets that were evaluated when their shard was assigned.
    private var additions: [Report] = []

    /// Creates a source without targets.
    ///
    /// - Parameters:
    ///   - events: the node's registry.
    ///   - location: the node's location.
    ///   - wall: the wall clock.
    package init(
        _ events: any BlockingEventSource & TargetSource,
        location: String,
        wall: any WallClock = SystemWallClock()
    ) {
        self.events = events
        self.location = location
        self.wall = wall
    }

    // MARK: Targets

    /// Replaces the node's shards and targets. Observations of targets that are no longer assigned are not reported.
    ///
    /// - Parameters:
    ///   - assignments: the shards.
    ///   - targets: their targets.
    package func hold(_ assignments: [OwnAssignment], _ targets: [AssignedTarget]) {
        let tokens = Dictionary(assignments.map { ($0.key, $0.token) }) { first, _ in first }
        let sequence = newest
        let beginning = position
        let old = held
        held = [:]
        held.reserveCapacity(targets.count)
        awaited = [:]
        for assignment in assignments where assignment.confirmed != assignment.token {
            awaited[assignment.key] = (assignment.token, [])
        }
        for target in targets {
            let key = AssignmentKey(shard: target.shard, location: location)
            guard let token = tokens[key] else { continue }
            if let known = old[target.id], known.key == key, known.token == token {
                held[target.id] = known
            } else {
                held[target.id] = Held(key: key, token: token, beginning: beginning)
                if let report = state(of: target.id, sequence: sequence) {
                    held[target.id]?.isReported = true
                    held[target.id]?.since = report.observation?.since
                    additions.append(report)
                }
            }
            if held[target.id]?.isReported == false { awaited[key]?.targets.insert(target.id) }
        }
        ids = held.keys.sorted()
        for key in Array(awaited.keys) { confirm(key) }
    }

    private func confirm(_ key: AssignmentKey) {
        guard let (token, targets) = awaited[key], targets.isEmpty else { return }
        awaited[key] = nil
        additions.append(.confirmed(key, token: token, sequence: newest, at: now))
    }

    private var now: Duration { wall.now().instant }

    /// The number of the newest event among those of this run, which does not change when they are moved.
    var position: Int64 { Int64(newest) - Int64(events.numbering) }

    // MARK: Restarts

    /// Takes the tokens of an earlier run of this node, before ``hold(_:_:)``: events that it did not report are reported under them, if
    /// the node still has them.
    package func restore(_ cached: CachedAssignments) {
        let newest = position
        earlierRun = newest
        let tokens = Dictionary(cached.shards.map { ($0.shard, $0.token) }) { first, _ in first }
        for entry in cached.targets {
            guard let token = tokens[entry.target.shard] else { continue }
            // The numbers of another epoch are of other events. After a loss of power the log can end before the number.
            let beginning =
                cached.epoch == epoch ? min(Int64(entry.beginning) - Int64(events.numbering), newest) : newest
            let key = AssignmentKey(shard: entry.target.shard, location: location)
            held[entry.target.id] = Held(key: key, token: token, beginning: beginning)
        }
        ids = held.keys.sorted()
    }

    /// Forgets all tokens: they are of another fleet.
    package func forget() { hold([], []) }

    /// What is kept for a restart.
    var snapshot: HeldTargets {
        HeldTargets(held: held, epoch: epoch, numbering: Int64(events.numbering), source: events)
    }

    // MARK: ReportSource

    package var epoch: String { events.epoch }

    package var newest: UInt64 { events.sequence }

    package func reports(after sequence: UInt64, limit: Int, bytes: Int) -> ReportPage {
        // Events that left memory are on the disk, which may be slow: the lease is renewed late then, as for any slow disk.
        let slice = events.heldEvents(after: sequence, limit: limit) ?? events.events(after: sequence, limit: limit)
        guard slice.oldest <= sequence + 1 else { return .gap }
        var reports: [Report] = []
        var through = sequence
        var size = 0
        for event in slice.events {
            if let report = report(event, numbering: slice.numbering) {
                size += report.size
                guard reports.isEmpty || size <= bytes else { break }
                reports.append(report)
            }
            through = event.sequence
        }
        return .events(reports, through: through)
    }

    private func report(_ event: RecordedEvent, numbering: UInt64) -> Report? {
        let number = Int64(event.sequence) - Int64(numbering)
        guard let id = event.target, let held = held[id], number > held.beginning
        else { return nil }
        switch event.type {
        case .state: return vote(event, number, id, held)
        case .certificate:
            return Report.Certificate(target: id, data: event.data).map {
                .certificate(
                    $0,
                    sequence: event.sequence,
                    key: held.key,
                    token: held.token,
                    at: event.at.instant
                )
            }
        default: return nil
        }
    }

    private func vote(_ event: RecordedEvent, _ number: Int64, _ id: String, _ held: Held) -> Report? {
        guard let transition = event.transition, held.isReported || transition.to != .unknown else { return nil }
        var held = held
        let at = event.at.instant
        let since = transition.from == transition.to ? held.since ?? at : at
        // What an earlier run found does not make this run's first `unknown` an observation.
        (held.since, held.isReported) = (since, held.isReported || number > earlierRun)
        self.held[id] = held
        if awaited[held.key]?.targets.remove(id) != nil { confirm(held.key) }
        let observation = Report.Observation(
            target: id,
            state: transition.to,
            cause: transition.cause,
            reason: transition.reason.flatMap(ReasonCode.init(rawValue:)),
            detail: event.detail,
            since: since,
            fault: event.fault.flatMap { IncidentFault(stored: $0) }
        )
        return .vote(observation, sequence: event.sequence, key: held.key, token: held.token, at: at)
    }

    package func states(after cursor: String?, limit: Int, bytes: Int) -> StatePage {
        var reports: [Report] = []
        var size = 0
        var last = cursor
        let first = cursor.map { cursor in ids.firstPlace { $0 > cursor } } ?? 0
        for id in ids[first...] {
            if let report = state(of: id, sequence: 0) {
                guard reports.count < limit, reports.isEmpty || size + report.size <= bytes else {
                    return StatePage(reports: reports, next: last)
                }
                size += report.size
                reports.append(report)
            }
            last = id
        }
        return StatePage(reports: reports, next: nil)
    }

    /// The state of a target as it is; nil while it is not known under the present token.
    private func state(of id: String, sequence: UInt64) -> Report? {
        guard let held = held[id], let record = events.target(id), held.isReported || record.state != .unknown
        else { return nil }
        let reason = record.reason
        let observation = Report.Observation(
            target: id,
            state: record.state,
            cause: reason?.cause,
            reason: reason?.code,
            detail: reason?.detail,
            since: record.since.instant,
            fault: IncidentFault(record)
        )
        return Report(
            kind: .state,
            sequence: sequence,
            key: held.key,
            token: held.token,
            observation: observation,
            at: now
        )
    }

    package func takeAdditions(through sequence: UInt64, limit: Int) -> [Report] {
        // Their numbers never fall.
        let taken = Array(additions.prefix(limit).prefix { $0.sequence <= sequence })
        additions.removeFirst(taken.count)
        return taken
    }
}

/// The tokens of a node's targets at one moment, to be kept for a restart.
struct HeldTargets: Sendable {
    fileprivate let held: [String: NodeReports.Held]
    fileprivate let epoch: String
    fileprivate let numbering: Int64
    fileprivate let source: any TargetSource

    /// The form that is kept. Any thread; with many targets it takes a moment.
    func cached(_ targets: [AssignedTarget], of owner: CachedAssignments.Owner, identity: String) -> CachedAssignments {
        var tokens: [Shard: UInt64] = [:]
        let entries = targets.compactMap { target -> CachedAssignments.HeldTarget? in
            guard let held = held[target.id], held.key.shard == target.shard else { return nil }
            tokens[target.shard] = held.token
            let state = source.target(target.id)?.state
            return CachedAssignments.HeldTarget(
                target: target,
                beginning: UInt64(max(0, held.beginning + numbering)),
                state: state.flatMap { [.up, .degraded, .down].contains($0) ? $0 : nil }
            )
        }
        return CachedAssignments(
            owner: owner,
            identity: identity,
            epoch: epoch,
            shards: tokens.sorted { $0.key < $1.key }.map {
                CachedAssignments.HeldShard(shard: $0.key, token: $0.value)
            },
            targets: entries
        )
    }
}

/// A target that the fleet assigned to this node.
package struct AssignedTarget: Sendable, Hashable {
    /// The target's id.
    package let id: String
    /// Its shard.
    package let shard: Shard
    /// Its declaration, a JSON object in the form of the configuration.
    package let declaration: String
    /// Whether an API client declared it.
    package let isClientDeclared: Bool

    /// Creates a value.
    package init(id: String, shard: Shard, declaration: String, isClientDeclared: Bool = false) {
        self.id = id
        self.shard = shard
        self.declaration = declaration
        self.isClientDeclared = isClientDeclared
    }
}

extension Timestamp {
    /// Since the Unix epoch.
    package var instant: Duration { .milliseconds(milliseconds) }
}
