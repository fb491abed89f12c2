// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// A fleet as its database shows it at one moment.
package struct FleetOverview: Sendable {
    /// A node.
    package struct Node: Sendable {
        /// Its unique name.
        package let name: String
        /// Where it observes from.
        package let location: String
        /// The version of its program.
        package let version: String
        /// The URL of its HTTP interface; nil when it has not stated one.
        package let url: String?
        /// Its state.
        package let state: FleetNodeState
        /// Since when it runs.
        package let since: Duration
        /// When its lease ends or ended.
        package let until: Duration
        /// The greatest number of targets that it takes.
        package let capacity: Int64
        /// The number of its targets.
        package let targets: Int64
        /// The number of events that it has not reported, as it last said.
        package let backlog: Int64
        /// How far the database's clock is ahead of its own.
        package let skew: Duration
        /// Its round trip to the database.
        package let roundTrip: Duration
    }

    /// A receiver of notifications.
    package struct Receiver: Sendable, Hashable {
        /// Its name.
        package let name: String
        /// The node that serves it; nil for none.
        package let node: String?
        /// The log's last number up to which it needs nothing more.
        package let consumed: Int64
        /// Whether nodes that offer it have different definitions.
        package let isAmbiguous: Bool
    }

    /// The database's time.
    package let now: Duration
    /// The run of the fleet's log.
    package let epoch: String
    /// The number of the newest event.
    package let sequence: Int64
    /// The name of the coordinator; nil when none has a valid lease.
    package let coordinator: String?
    /// The settings.
    package let settings: FleetSettings
    /// The number of targets.
    package let targets: Int64
    /// The number of targets that no node is assigned to.
    package let unassigned: Int64
    /// Whether commits await a standby, as the coordinator found it last: then a fail-over to that loses no event.
    package let isDurable: Bool
    /// For how many more days the log has partitions.
    package let logDays: Int
    /// The locations whose own network is the likely cause of their votes (``IsolationTally``), sorted.
    package let isolated: [String]
    /// The number of reports that the coordinator has not read.
    package let inbox: Int64
    /// The number of targets in each state.
    package let states: [String: Int64]
    /// The nodes, by name.
    package let nodes: [Node]
    /// The receivers of notifications, by name.
    package let receivers: [Receiver]
}

extension FleetOverview {
    /// The names of the receivers that a node serves.
    package func served(by node: Node) -> [String] { receivers.filter { $0.node == node.name }.map(\.name) }

    /// Reads the overview; nil when the database has no fleet.
    package static let question = FleetQuestion(statement) { rows throws(DatabaseError) in
        rows.rowCount == 0 ? nil : try FleetOverview(rows)
    }

    /// A row for each node; one without a node when there is none.
    private static let statement = Statement(
        """
        SELECT \(DatabaseClock.now), h.epoch, h.seq, h.coordinator, h.until, h.settings,
          (SELECT count(*) FROM targets),
          (SELECT count(*) FROM targets t WHERE NOT EXISTS (
             SELECT FROM assignments a WHERE a.placement = t.placement AND a.shard = t.shard AND a.node IS NOT NULL)),
          (SELECT count(*) FROM inbox),
          ARRAY(SELECT state FROM verdicts GROUP BY state ORDER BY state),
          ARRAY(SELECT count(*) FROM verdicts GROUP BY state ORDER BY state),
          n.name, n.location, n.version, n.url, n.draining, n.departed, n.since, n.until, n.capacity,
          coalesce(a.targets, 0)::bigint, n.backlog, n.skew, n.round_trip,
          ARRAY(SELECT name FROM receivers ORDER BY name), ARRAY(SELECT node FROM receivers ORDER BY name),
          ARRAY(SELECT consumed FROM receivers ORDER BY name), n.receivers, h.isolated, h.durable,
          (SELECT coalesce(min(n), 62) - 1 FROM generate_series(0, 61) n WHERE to_regclass(
             'log_' || to_char(greatest(h.day, (clock_timestamp() AT TIME ZONE 'UTC')::date) + n, 'YYYYMMDD')) IS NULL)
        FROM log_head h LEFT JOIN nodes n ON true LEFT JOIN (
          SELECT a.node, sum(s.targets) AS targets
          FROM assignments a JOIN (SELECT placement, shard, count(*) AS targets FROM targets GROUP BY placement, shard) s
            USING (placement, shard)
          GROUP BY a.node) a ON a.node = n.name
        ORDER BY n.name
        """,
        name: "overview"
    )

    /// Has a node's targets moved to other nodes, or lets it take targets again; answers whether there is such a node.
    package static func drain(_ isDraining: Bool, node: String) -> FleetQuestion<Bool> {
        FleetQuestion(
            Statement(
                "UPDATE nodes SET draining = $2 WHERE name = $1 RETURNING name, \(FleetChannel.work.notify())",
                name: "drain"
            ),
            [.text(node), .bool(isDraining)]
        ) { rows throws(DatabaseError) in rows.rowCount == 1 }
    }

    private init(_ head: DatabaseRows) throws(DatabaseError) {
        let now = Duration(microseconds: try head.integer(0, 0))
        self.now = now
        epoch = try head.text(0, 1)
        sequence = try head.integer(0, 2)
        settings = FleetSettings(text: try head.text(0, 5))
        let end = Duration(microseconds: try head.integer(0, 4))
        let isCoordinated = LeaseSpan.isValid(until: end, at: now, lease: settings.lease)
        coordinator = isCoordinated ? try head.optionalText(0, 3) : nil
        targets = try head.integer(0, 6)
        unassigned = try head.integer(0, 7)
        inbox = try head.integer(0, 8)
        isolated = try head.texts(0, 28).compactMap(\.self)
        isDurable = try head.bool(0, 29)
        logDays = Int(clamping: try head.integer(0, 30))
        let counts = try head.integers(0, 10)
        var states: [String: Int64] = [:]
        for (state, count) in zip(try head.texts(0, 9), counts) {
            if let state, let count { states[state] = count }
        }
        self.states = states
        var nodes: [Node] = []
        var digests: [String: Set<String>] = [:]
        for row in 0..<head.rowCount where try !head.isNull(row, 11) {
            let node = try Node(head, row, now: now, lease: settings.lease)
            nodes.append(node)
            guard node.state == .live else { continue }
            for (name, digest) in ReceiverOffer.read(try head.texts(row, 27)) {
                digests[name, default: []].insert(digest)
            }
        }
        self.nodes = nodes
        receivers = try Self.receivers(head, digests)
    }

    private static func receivers(
        _ head: DatabaseRows,
        _ digests: [String: Set<String>]
    ) throws(DatabaseError) -> [Receiver] {
        let (names, nodes, offsets) = (try head.texts(0, 24), try head.texts(0, 25), try head.integers(0, 26))
        return zip(names, zip(nodes, offsets)).compactMap { name, place in
            name.map { name in
                Receiver(
                    name: name,
                    node: place.0,
                    consumed: place.1 ?? 0,
                    isAmbiguous: digests[name, default: []].count > 1
                )
            }
        }
    }
}

extension FleetOverview.Node {
    fileprivate init(_ rows: DatabaseRows, _ row: Int, now: Duration, lease: Duration) throws(DatabaseError) {
        name = try rows.text(row, 11)
        location = try rows.text(row, 12)
        version = try rows.text(row, 13)
        url = try rows.optionalText(row, 14)
        since = Duration(microseconds: try rows.integer(row, 17))
        until = Duration(microseconds: try rows.integer(row, 18))
        let isDraining = try rows.bool(row, 15)
        let isLost = !LeaseSpan.isValid(until: until, at: now, lease: lease)
        state = try rows.bool(row, 16) ? .departed : isLost ? .lost : isDraining ? .draining : .live
        capacity = try rows.integer(row, 19)
        targets = try rows.integer(row, 20)
        backlog = try rows.integer(row, 21)
        skew = Duration(microseconds: try rows.integer(row, 22))
        roundTrip = Duration(microseconds: try rows.integer(row, 23))
    }
}
