// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

@testable import Fleet

/// The rows of a fleet's database in memory: rounds are decided on them and applied to them.
struct FleetScene {
    static let start = Duration.seconds(1_000_000)

    var now = start
    var targets: [String: TargetStanding] = [:]
    var votes: [String: [String: StoredVote]] = [:]
    var parents: [String: [String]] = [:]
    var placements: [Int: Placement] = [:]
    var assignments = AssignmentTable()
    var nodes: [String: FleetNode] = [:]
    var settings = FleetSettings(settle: .seconds(10))
    var tally = IsolationTally()
    var losses = LossTally()
    var incidents = IncidentBook()
    /// What became of incidents.
    var incidentChanges: [IncidentChange] = []
    var isolated: Set<String> = []
    private var lastID: Int64 = 0

    /// A fleet with one node in each location, which owns the shard 7 of the placement 1, and has confirmed it.
    init(locations: [String] = ["berlin"], quorum: Int? = nil) throws {
        placements[1] = try Placement(watchers: locations.count, quorum: quorum)
        for location in locations {
            addNode("\(location)-1", in: location)
            assign(location, to: "\(location)-1", token: 1, confirmed: true)
        }
    }

    static let shard = Shard(placement: 1, number: 7)

    static func key(_ location: String) -> AssignmentKey { AssignmentKey(shard: shard, location: location) }

    mutating func addNode(_ name: String, in location: String) {
        nodes[name] = FleetNode(
            name: name,
            location: location,
            capacity: 1000,
            until: now + .seconds(100_000),
            resumed: now - .seconds(100)
        )
    }

    /// Ends a node's lease.
    mutating func lose(_ name: String, at time: Duration? = nil) {
        guard let node = nodes[name] else { return }
        nodes[name] = FleetNode(
            name: name,
            location: node.location,
            capacity: node.capacity,
            until: time ?? now,
            resumed: node.resumed,
            intent: .leave
        )
    }

    mutating func assign(_ location: String, to node: String?, token: Int64, confirmed: Bool = false) {
        let record = AssignmentRecord(node: node, token: token, since: now, confirmed: confirmed ? token : 0)
        assignments[Self.key(location)] = record
    }

    /// Declares a target that a location alone watches.
    mutating func declare(_ id: String, watchedFrom location: String) {
        let shard = Shard(placement: 2, number: id.utf8.reduce(0) { ($0 * 31 + Int($1)) % 1_024 })
        placements[2] = .single
        let record = AssignmentRecord(node: "\(location)-1", token: 1, since: now, confirmed: 1)
        assignments[AssignmentKey(shard: shard, location: location)] = record
        declare(id, in: shard)
    }

    mutating func declare(
        _ id: String,
        in shard: Shard = Self.shard,
        isPartialUp: Bool = false,
        dependsOn: [String] = []
    ) {
        targets[id] = TargetStanding(
            id: id,
            shard: shard,
            isPartialUp: isPartialUp,
            group: "web",
            tags: "{a,b}",
            verdict: StoredVerdict(
                version: 1,
                state: .unknown,
                cause: .`self`,
                reason: "not_probed",
                since: now,
                rule: "answering"
            )
        )
        parents[id] = dependsOn
    }

    /// A row that the location's owner reports.
    mutating func row(
        _ target: String,
        _ state: TargetState,
        from location: String = "berlin",
        cause: StateCause? = nil,
        reason: String? = nil,
        token: Int64? = nil,
        node: String? = nil,
        at: Duration? = nil
    ) -> InboxRow {
        let reason = reason ?? (state == .up ? nil : "connect_refused")
        let content = VoteContent(
            state: state,
            cause: cause ?? (state == .up ? nil : .target),
            reason: reason,
            detail: reason.map { "\(location): \($0)." },
            since: at ?? now
        )
        return row(.vote(target: target, content), from: location, token: token, node: node, at: at)
    }

    mutating func row(
        _ content: InboxRow.Content,
        from location: String = "berlin",
        token: Int64? = nil,
        node: String? = nil,
        at: Duration? = nil
    ) -> InboxRow {
        lastID += 1
        var key = Self.key(location)
        if case .vote(let target, _) = content, let shard = targets[target]?.shard {
            key = AssignmentKey(shard: shard, location: location)
        }
        let record = assignments[key]
        return InboxRow(
            id: lastID,
            node: node ?? record?.node ?? "",
            key: key,
            token: token ?? record?.token ?? 0,
            at: at ?? now,
            content: content
        )
    }

    /// Decides a round and applies what it writes.
    @discardableResult
    mutating func decide(_ rows: [InboxRow] = [], reevaluating: [String] = []) -> RoundChanges {
        var facts = RoundFacts(now: now)
        facts.rows = rows
        facts.reevaluated = reevaluating
        facts.targets = targets
        facts.votes = votes
        for (child, list) in parents {
            facts.blockingParents[child] = list.sorted().first { targets[$0]?.verdict.blocksChildren == true }
        }
        facts.placements = placements
        facts.assignments = assignments
        facts.members = FleetMembers(Array(nodes.values), now: now, lease: settings.lease)
        facts.settings = settings
        facts.isolated = isolated
        facts.comparable = Set(shared.filter { $0.value >= IsolationTally.fewestTargets }.keys)
        facts.recentLosses = losses.recent(after: now - settings.settle)
        let changes = DecisionRound.decide(facts)
        apply(changes)
        let explained = losses.explain(
            changes.observations,
            changes.losses,
            shared: shared,
            settings: settings,
            incidents: incidents
        )
        let known = Set(explained.map(\.target).filter { !incidents.incidents(of: $0).isEmpty })
        for observation in explained where known.contains(observation.target) { incidents.take(observation) }
        for observation in explained where !known.contains(observation.target) { incidents.take(observation) }
        incidentChanges += incidents.settle { number, _ in EventID(epoch: "e", sequence: number) }
        return changes
    }

    /// Determines the isolated locations, and decides again on the targets that they alone report down, and on what is due.
    @discardableResult
    mutating func settle() -> RoundChanges {
        let before = isolated
        isolated = tally.isolated(
            before: before,
            settled: now - settings.agreement,
            shared: { [shared] in shared },
            isComplete: true
        )
        let due = targets.values.filter { $0.disagreementDue.map { $0 <= now } ?? false }.map(\.id)
        let losers = losses.losers
        defer { lastLosers = losers }
        let changed =
            tally.targets(of: isolated.symmetricDifference(before)) + losses.targets(of: losers.subtracting(lastLosers))
        return decide(reevaluating: Set(due + changed).sorted())
    }

    private var lastLosers: Set<String> = []

    /// The number of targets that each location shares with two others or more.
    private var shared: [String: Int] {
        assignments.sharedTargets([Self.shard: targets.values.count { $0.shard == Self.shard }], dead: [])
    }

    private mutating func apply(_ changes: RoundChanges) {
        for (target, vote) in changes.aloneAgainst { tally.record(target, aloneAgainst: vote) }
        for (target, loss) in changes.losses { losses.record(target, loss) }
        for change in changes.votes { votes[change.target, default: [:]][change.location] = change.vote }
        for change in changes.verdicts {
            guard change.verdict.version == targets[change.target]?.verdict.version else { continue }
            replace(change.target) { standing in
                standing.verdict = change.verdict
                standing.verdict.version += 1
            }
        }
        for disagreement in changes.disagreements {
            replace(disagreement.target) {
                $0.since = disagreement.since
                $0.due = disagreement.due
            }
        }
        for target in changes.agreed {
            replace(target) {
                $0.since = nil
                $0.due = nil
            }
        }
        for (key, token) in changes.confirmed { assignments[key]?.confirmed = token }
    }

    private mutating func replace(
        _ id: String,
        _ body: (inout (verdict: StoredVerdict, since: Duration?, due: Duration?)) -> Void
    ) {
        guard let old = targets[id] else { return }
        var parts = (verdict: old.verdict, since: old.disagreeingSince, due: old.disagreementDue)
        body(&parts)
        targets[id] = TargetStanding(
            id: id,
            shard: old.shard,
            interval: old.interval,
            isPartialUp: old.isPartialUp,
            group: old.group,
            tags: old.tags,
            verdict: parts.verdict,
            disagreeingSince: parts.since,
            disagreementDue: parts.due
        )
    }

    func verdict(_ target: String) -> StoredVerdict? { targets[target]?.verdict }

    func state(_ target: String) -> TargetState? { targets[target]?.verdict.state }
}

extension StateEvent {
    /// The change, for comparisons.
    var change: String {
        "\(target) \(from.rawValue) > \(to.rawValue) \(cause?.rawValue ?? "-") \(reason ?? "-")"
    }
}
