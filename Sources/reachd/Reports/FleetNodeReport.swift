// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import JSON
import Monitoring
import ReachAPI

/// A fleet's nodes as text and as JSON.
enum FleetNodeReport {
    /// For people: a row for each node, with all that is known of it.
    static func lines(_ overview: FleetOverview, on terminal: Terminal) -> [String] {
        guard !overview.nodes.isEmpty else { return ["no nodes: start reachd with fleet.database"] }
        var table = TextTable([
            "NODE", "LOCATION", "STATE", "TARGETS", "CAPACITY", "BACKLOG", "ROUND TRIP", "SKEW", "UP FOR", "VERSION",
            "RECEIVERS", "URL",
        ])
        for node in overview.nodes {
            table.add([
                TextTable.Cell(node.name), location(of: node, overview), state(of: node),
                TextTable.Cell("\(node.targets)", isRight: true), TextTable.Cell("\(node.capacity)", isRight: true),
                TextTable.Cell("\(node.backlog)", isRight: true), roundTrip(of: node),
                TextTable.Cell(skew(of: node), isRight: true), TextTable.Cell(age(of: node, overview), isRight: true),
                TextTable.Cell(node.version), TextTable.Cell(overview.served(by: node).joined(separator: ",")),
                TextTable.Cell(node.url ?? ""),
            ])
        }
        return table.lines(on: terminal)
    }

    /// For people: a line for each property of a node.
    static func lines(_ node: FleetOverview.Node, _ overview: FleetOverview, on terminal: Terminal) -> [String] {
        let isCoordinator = overview.coordinator == node.name
        var table = TextTable(["", ""])
        for (name, value) in [
            ("node", TextTable.Cell(node.name)),
            ("location", location(of: node, overview)),
            ("state", state(of: node)),
            ("coordinator", TextTable.Cell(isCoordinator ? "yes" : "no")),
            ("targets", TextTable.Cell("\(node.targets) of at most \(node.capacity)")),
            ("unreported events", TextTable.Cell("\(node.backlog)")),
            ("round trip", TextTable.Cell(DurationFormatter.latency(node.roundTrip / .seconds(1)))),
            ("clock difference", TextTable.Cell(skew(of: node))),
            ("since", TextTable.Cell(Timestamp(node.since).description)),
            ("lease until", TextTable.Cell(Timestamp(node.until).description)),
            ("receivers", TextTable.Cell(overview.served(by: node).joined(separator: ", "))),
            ("version", TextTable.Cell(node.version)),
            ("url", TextTable.Cell(node.url ?? "")),
        ] {
            table.add([TextTable.Cell(name), value])
        }
        return Array(table.lines(on: terminal).dropFirst())
    }

    static func state(of node: FleetOverview.Node) -> TextTable.Cell {
        TextTable.Cell(node.state.rawValue, color(node.state))
    }

    private static func location(of node: FleetOverview.Node, _ overview: FleetOverview) -> TextTable.Cell {
        guard overview.isolated.contains(node.location) else { return TextTable.Cell(node.location) }
        return TextTable.Cell("\(node.location) (isolated)", .yellow)
    }

    static func roundTrip(of node: FleetOverview.Node) -> TextTable.Cell {
        TextTable.Cell(DurationFormatter.latency(node.roundTrip / .seconds(1)), isRight: true)
    }

    private static func skew(of node: FleetOverview.Node) -> String {
        let seconds = node.skew / .seconds(1)
        return (seconds < 0 ? "-" : "") + DurationFormatter.latency(abs(seconds))
    }

    static func age(of node: FleetOverview.Node, _ overview: FleetOverview) -> String {
        guard node.state == .live || node.state == .draining else { return "" }
        return DurationFormatter.short(milliseconds: (overview.now - node.since).microseconds / 1_000)
    }

    private static func color(_ state: FleetNodeState) -> TerminalColor? {
        switch state {
        case .live: .green
        case .draining: .yellow
        case .lost: .red
        case .departed: nil
        }
    }

    /// For programs: nodes as `GET /fleet/nodes` has them.
    static func json(_ overview: FleetOverview) -> [UInt8] {
        var writer = JSONWriter()
        writer.array(overview.nodes) { writer, node in writer.object { $0.fleetNodeMembers(node, in: overview) } }
        return writer.take()
    }

    /// For programs: a node as `GET /fleet/nodes/{name}` has it.
    static func json(_ node: FleetOverview.Node, _ overview: FleetOverview) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { $0.fleetNodeMembers(node, in: overview) }
        return writer.take()
    }
}
