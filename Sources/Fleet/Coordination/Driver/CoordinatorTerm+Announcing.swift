// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL

/// Isolated locations, and the events about nodes and locations.
extension CoordinatorTerm {
    /// What was found and is not announced yet; nil for nothing.
    func announcement() -> Announcement? {
        var announcement = Announcement(nodes: Array(nodeChanges.prefix(Self.roundLimit)))
        if !isTallyComplete, !queue.hasBackground, !queue.isUrgent {
            isTallyComplete = true
            mustTally = true
        }
        // A location whose reports of an outage are counted before those of others only seems to be alone.
        if mustTally, gathering == nil {
            mustTally = false
            var shared: [String: Int] = [:]
            wantedIsolated = tally.isolated(
                before: isolated,
                settled: databaseTime - settings.agreement,
                shared: {
                    shared = assignments.sharedTargets(sizes, dead: members.dead)
                    return shared
                },
                isComplete: isTallyComplete
            )
            locationChanges = wantedIsolated.symmetricDifference(isolated).sorted().map { location in
                Announcement.LocationChange(
                    location: location,
                    isIsolated: wantedIsolated.contains(location),
                    alone: tally.count(location),
                    shared: shared[location] ?? 0
                )
            }
        }
        announcement.locations = locationChanges
        return announcement.isEmpty ? nil : announcement
    }

    /// Writes an announcement, then decides again on the targets that it concerns.
    func announce(_ announcement: Announcement) {
        let statement = AnnounceStatement(
            identity: identity,
            token: token,
            lease: settings.lease,
            stamp: .random(in: 1...Int64.max),
            announcement: announcement,
            isolated: wantedIsolated,
            now: databaseTime
        )
        run(AnnounceStatement.statement, statement.parameters) { [self] rows in
            let row = guarded(rows) { rows, row throws(DatabaseError) in
                (now: try rows.integer(row, 0), events: try rows.integer(row, 1))
            }
            guard let (now, events) = row else { return }
            setClock(Duration(microseconds: now))
            count? { $0.events += UInt64(clamping: events) }
            nodeChanges.removeFirst(announcement.nodes.count)
            locationChanges = []
            apply(announcement.locations)
            finished()
        }
    }

    private func apply(_ changes: [Announcement.LocationChange]) {
        guard !changes.isEmpty else { return }
        isolated = wantedIsolated
        for change in changes {
            log?(
                LogMessage(
                    .warning,
                    change.isIsolated
                        ? "a location is isolated: it alone reports many targets down; check its network"
                        : "a location is not isolated any more",
                    facts: [
                        "location": change.location, "down_alone": "\(change.alone)", "shared": "\(change.shared)",
                    ]
                )
            )
        }
        let locations = Set(changes.map(\.location))
        queue.add(targets: tally.targets(of: locations).sorted())
        queue.addInBackground(assignments.shards(in: locations))
    }

    /// Notes the nodes whose state changed since the newest event about each.
    func compare(_ look: FleetLook) {
        nodeChanges = look.rows.compactMap { row in
            let (node, from) = (row.node, row.announced)
            let state: FleetNodeState =
                switch node.intent {
                case .leave: .departed
                case _ where members.dead.contains(node.name): .lost
                case .drain: .draining
                case .serve: .live
                }
            guard state.rawValue != from else { return nil }
            return Announcement.NodeChange(name: node.name, location: node.location, from: from, to: state)
        }
    }

    /// Takes the targets that a round decided on.
    func tally(_ changes: RoundChanges) {
        for (target, vote) in changes.aloneAgainst { tally.record(target, aloneAgainst: vote) }
        for (target, loss) in changes.losses { losses.record(target, loss) }
        mustTally = true
    }
}
