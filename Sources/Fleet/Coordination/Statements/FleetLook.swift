// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL

/// What the coordinator sees when it looks at the fleet.
struct FleetLook: Sendable {
    /// A node, and what is stored about it.
    struct Row: Sendable {
        /// The node.
        let node: FleetNode
        /// Its state in the newest event about it; empty before the first.
        let announced: String
        /// The receivers that it offers: names with the digests of their definitions.
        let offers: [String: String]
        /// The number of events that it had not reported when it last renewed its lease.
        let backlog: Int64
    }

    /// The database's time.
    let now: Duration
    /// The version of the declarations.
    let declared: Int64
    /// The run of the log.
    let epoch: String
    /// Whether the inbox has rows.
    let isPending: Bool
    /// Whether people changed incidents.
    let hasEdits: Bool
    /// The isolated locations.
    let isolated: Set<String>
    /// The readable rows of nodes.
    let rows: [Row]
    /// How many rows were not readable.
    let skipped: Int

    /// The nodes with readable rows.
    var nodes: [FleetNode] { rows.map(\.node) }

    /// The receivers that each node offers.
    var offers: [String: [String: String]] {
        Dictionary(rows.map { ($0.node.name, $0.offers) }) { first, _ in first }
    }

    /// Reads the rows of ``CoordinatorStatement/look``.
    ///
    /// - Throws: `unexpected_answer` when the first row cannot be read.
    init(_ rows: DatabaseRows) throws(DatabaseError) {
        now = Duration(microseconds: try rows.integer(0, 0))
        declared = try rows.integer(0, 1)
        isPending = try rows.bool(0, 2)
        epoch = try rows.shortText(0, 14)
        hasEdits = try rows.bool(0, 15)
        isolated = Set(try rows.texts(0, 3).compactMap(\.self))
        if try rows.isNull(0, 4) {
            (self.rows, skipped) = ([], 0)
        } else {
            let readable = ReadableRows(rows) { rows, row throws(DatabaseError) in try Row(rows, row) }
            (self.rows, skipped) = (readable.rows, readable.skipped)
        }
    }
}

extension FleetLook.Row {
    fileprivate init(_ rows: DatabaseRows, _ row: Int) throws(DatabaseError) {
        let isDraining = try rows.bool(row, 7)
        node = FleetNode(
            name: try rows.text(row, 4),
            location: try rows.text(row, 5),
            capacity: Int(clamping: try rows.integer(row, 6)),
            until: Duration(microseconds: try rows.integer(row, 9)),
            resumed: Duration(microseconds: try rows.integer(row, 10)),
            intent: try rows.bool(row, 8) ? .leave : isDraining ? .drain : .serve
        )
        announced = try rows.optionalText(row, 11) ?? ""
        offers = ReceiverOffer.read(try rows.texts(row, 12))
        backlog = try rows.integer(row, 13)
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
