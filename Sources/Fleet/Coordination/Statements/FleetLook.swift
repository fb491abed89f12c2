// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL

/// What the coordinator sees when it looks at the fleet.
struct FleetLook: Sendable {
    /// The database's time.
    let now: Duration
    /// The present coordinator's token.
    let token: Int64
    /// The version of the declarations.
    let declared: Int64
    /// Whether the inbox has rows.
    let isPending: Bool
    /// The nodes with readable rows.
    let nodes: [FleetNode]
    /// The isolated locations.
    let isolated: Set<String>
    /// The state of each node in the newest event about it.
    let announced: [String: String]
    /// The receivers that each node offers: names with the digests of their definitions.
    let offers: [String: [String: String]]
    /// The number of events that each node has not reported, as it last said.
    let backlogs: [String: Int64]
    /// How many rows were not readable.
    let skipped: Int

    /// Reads the rows of ``CoordinatorStatement/look``.
    ///
    /// - Throws: `unexpected_answer` when the first row cannot be read.
    init(_ rows: DatabaseRows) throws(DatabaseError) {
        now = Duration(microseconds: try rows.integer(0, 0))
        token = try rows.integer(0, 1)
        declared = try rows.integer(0, 2)
        isPending = try rows.bool(0, 3)
        isolated = Set(try rows.texts(0, 11).compactMap(\.self))
        if try rows.isNull(0, 4) {
            (nodes, announced, offers, backlogs, skipped) = ([], [:], [:], [:], 0)
        } else {
            let readable = ReadableRows(rows) { rows, row throws(DatabaseError) in try Self.node(rows, row) }
            nodes = readable.rows.map(\.node)
            announced = Dictionary(readable.rows.map { ($0.node.name, $0.announced) }) { first, _ in first }
            offers = Dictionary(readable.rows.map { ($0.node.name, $0.offers) }) { first, _ in first }
            backlogs = Dictionary(readable.rows.map { ($0.node.name, $0.backlog) }) { first, _ in first }
            skipped = readable.skipped
        }
    }

    private static func node(
        _ rows: DatabaseRows,
        _ row: Int
    ) throws(DatabaseError) -> (node: FleetNode, announced: String, offers: [String: String], backlog: Int64) {
        let isDraining = try rows.bool(row, 7)
        let node = FleetNode(
            name: try rows.text(row, 4),
            location: try rows.text(row, 5),
            capacity: Int(clamping: try rows.integer(row, 6)),
            until: Duration(microseconds: try rows.integer(row, 9)),
            resumed: Duration(microseconds: try rows.integer(row, 10)),
            intent: try rows.bool(row, 8) ? .leave : isDraining ? .drain : .serve
        )
        return (
            node, try rows.optionalText(row, 12) ?? "", ReceiverOffer.read(try rows.texts(row, 13)),
            try rows.integer(row, 14)
        )
    }
}

/// The nodes of a fleet, and which of them no longer probe.
struct FleetMembers: Sendable, Hashable {
    private(set) var nodes: [String: FleetNode] = [:]
    private(set) var dead: Set<String> = []

    init() {}

    /// - Parameters:
    ///   - nodes: all nodes.
    ///   - now: the database's time.
    ///   - lease: how long a lease is valid.
    init(_ nodes: [FleetNode], now: Duration, lease: Duration) {
        self.nodes = Dictionary(nodes.map { ($0.name, $0) }) { _, last in last }
        dead = nodes.dead(now, lease: lease)
    }

    /// When the owner of an assignment was lost; nil while it is alive.
    func lossOfOwner(_ record: AssignmentRecord) -> Duration? {
        guard let name = record.node, let node = nodes[name] else { return record.since }
        return dead.contains(name) ? max(node.until, record.since) : nil
    }
}
