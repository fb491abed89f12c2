// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import PostgreSQL

/// Reading what the decisions depend on, and the assignments.
extension CoordinatorTerm {
    /// Reads assignments, placements and sizes.
    func load(then: @escaping () -> Void) {
        run(CoordinatorStatement.assignments, []) { [self] rows in
            let readable = ReadableRows(rows) { rows, row throws(DatabaseError) in try AssignmentTable.read(rows, row) }
            skip(readable.skipped)
            for (key, record) in readable.rows { assignments[key] = record }
            plan = AssignmentState(assignments: assignments.owners, token: plan.token)
            loadIncidents { [self] in
                readSizes { [self] in
                    // Another coordinator may have stopped between a change and the decisions that follow from it.
                    queue.addInBackground(sizes.keys.sorted())
                    then()
                }
            }
        }
    }

    func skip(_ rows: Int) {
        if rows > 0 { count? { $0.skipped += UInt64(rows) } }
    }

    // MARK: Sizes

    func readSizes() { readSizes { [self] in finished() } }

    private func readSizes(then: @escaping () -> Void) {
        let start = loop.clock.now()
        let version = declared.newest
        run(CoordinatorStatement.placements, []) { [self] rows in
            let readable = ReadableRows(rows, Self.placement)
            skip(readable.skipped)
            placements = Dictionary(readable.rows) { first, _ in first }
            run(CoordinatorStatement.shardSizes, []) { [self] rows in
                let readable = ReadableRows(rows, Self.size)
                skip(readable.skipped)
                let new = Dictionary(readable.rows) { first, _ in first }
                if new != sizes { planned = nil }
                // Some of them may not be declared any more.
                queue.add(targets: Set(tally.targets + losses.targets).sorted())
                sizes = new
                declared.read = version
                let now = loop.clock.now()
                sizesAt = now + max(20 * (now - start), 200_000_000)
                findEnded(then: then)
            }
        }
    }

    private static func placement(_ rows: DatabaseRows, _ row: Int) throws(DatabaseError) -> (Int, Placement)? {
        guard let placement = try Placement(rows, row, 1) else { return nil }
        return (Int(clamping: try rows.integer(row, 0)), placement)
    }

    private static func size(_ rows: DatabaseRows, _ row: Int) throws(DatabaseError) -> (Shard, Int)? {
        (
            Shard(placement: Int(clamping: try rows.integer(row, 0)), number: Int(clamping: try rows.integer(row, 1))),
            Int(clamping: try rows.integer(row, 2))
        )
    }

    // MARK: Nodes

    /// Reads the nodes, and changes the assignments if they require it.
    func look() {
        pace.lookBegins()
        inbox.willLook(at: loop.clock.now())
        let parameters = keepParameters(lease: settings.lease) + [.integer(inbox.position)]
        run(CoordinatorStatement.look, parameters) { [self] rows in
            let read = guarded(rows) { rows, _ throws(DatabaseError) in try FleetLook(rows) }
            guard let look = read else { return }
            guard isSameEpoch(look) else {
                return end(LogMessage(.info, "the fleet's log has begun a new epoch; the coordinator begins again"))
            }
            skip(look.skipped)
            setClock(look.now)
            declared.newest = look.declared
            if !look.isPending { inbox.foundNothing() }
            mustReadEdits = look.hasEdits
            let now = loop.clock.now()
            let nextEnd = look.nodes.filter { $0.isLive(look.now) }.map { $0.until - look.now }.min()
            pace.looked(
                isPending: look.isPending,
                lease: settings.lease,
                nextEnd: nextEnd.map { now + ($0 + .milliseconds(5)).nanoseconds },
                now: now
            )
            update(look)
            checkOrigin { [self] in assignReceivers(look) { [self] in assign(look) } }
        }
    }

    private func update(_ look: FleetLook) {
        let old = members.dead
        members = FleetMembers(look.nodes, now: look.now, lease: settings.lease)
        queue.add(shards: assignments.shards(ownedBy: old.symmetricDifference(members.dead)))
        isolated = look.isolated
        shared = assignments.sharedTargets(sizes, dead: members.dead)
        if gathering?.isWaiting ?? false {
            gathering?.looked(look, dead: members.dead, lease: settings.lease)
            if gathering?.isWaiting == false { pace.rowsArrived(loop.clock.now()) }
        }
        mustTally = true
        compare(look)
    }

    private func assign(_ look: FleetLook) {
        let nodes = look.nodes.map { node in
            PlannedNode(
                name: node.name,
                location: node.location,
                capacity: node.capacity,
                intent: node.intent,
                isLive: node.isLive(look.now),
                isDead: members.dead.contains(node.name)
            )
        }
        let now = loop.clock.now()
        if let planned, planned.nodes == nodes, now < planned.at + Self.planInterval { return finished() }
        planned = (now, nodes)
        let planner = AssignmentPlanner(lease: settings.lease, placements: placements)
        let next = planner.plan(plan, nodes: look.nodes, targets: sizes, now: look.now)
        report(next, live: nodes.count(where: \.isLive))
        guard !next.changes.isEmpty else {
            plan = next.state
            return finished()
        }
        write(Array(next.changes.prefix(Self.roundLimit)), of: next, nodes: look.nodes)
    }

    private func report(_ plan: AssignmentPlan, live: Int) {
        let targets = plan.unassigned.reduce(0) { $0 + (sizes[$1.shard] ?? 0) }
        if (targets > 0) != hasUnassigned {
            hasUnassigned = targets > 0
            log?(
                targets > 0
                    ? LogMessage(
                        .warning,
                        "targets of the fleet have no node: add nodes, or raise fleet.capacity",
                        facts: ["targets": "\(targets)"]
                    )
                    : LogMessage(.info, "all targets of the fleet have a node again")
            )
        }
        count? {
            ($0.unassigned, $0.unassignedTargets) = (plan.unassigned.count, targets)
            ($0.nodes, $0.targets, $0.owned) = (live, sizes.values.reduce(0, +), plan.state.assignments.count)
        }
    }

    /// Writes changes of the assignments; what is more than a statement writes is planned again with the next look.
    private func write(_ changes: [AssignmentChange], of next: AssignmentPlan, nodes: [FleetNode]) {
        let statement = AssignStatement(
            identity: identity,
            token: token,
            lease: settings.lease,
            version: Int64(clamping: next.state.token),
            changes: changes
        )
        run(AssignStatement.statement, statement.parameters) { [self] rows in
            let time = guarded(rows) { rows, row throws(DatabaseError) in try rows.integer(row, 0) }
            guard let now = time else { return }
            setClock(Duration(microseconds: now))
            count? { $0.assignments += UInt64(changes.count) }
            plan = next.state
            for change in changes { apply(change, version: statement.version, at: Duration(microseconds: now)) }
            if changes.count < next.changes.count {
                plan.assignments = assignments.owners
                planned = nil
            }
            finished()
        }
    }

    private func apply(_ change: AssignmentChange, version: Int64, at now: Duration) {
        let old = assignments[change.key]
        assignments[change.key] = AssignmentRecord(
            node: change.assignment?.node,
            token: version,
            // As the database has it: without an owner in between, the vote of the one before is as old as its loss.
            since: old.map { $0.node == nil ? $0.since : now } ?? now,
            confirmed: old?.confirmed ?? 0
        )
        if old == nil {
            // Its targets are as unknown as before; that can change only when the owner does not probe them in time.
            queue.add(change.key.shard, at: now + VerdictFacts.shortestGrace + .microseconds(1))
        } else {
            queue.add(shards: [change.key.shard])
        }
    }
}
