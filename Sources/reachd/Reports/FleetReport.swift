// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import JSON
import Monitoring
import ReachAPI

/// A fleet's overview as text and as JSON.
enum FleetReport {
    /// For people: the fleet in a few lines, then a row for each node.
    static func lines(_ overview: FleetOverview, on terminal: Terminal) -> [String] {
        let states = TargetState.allCases.compactMap { state in
            overview.states[state.rawValue].map { "\($0) \(state.rawValue)" }
        }
        var lines = [
            "\(overview.targets) targets" + (states.isEmpty ? "" : ": " + states.joined(separator: ", ")),
            overview.coordinator.map { "coordinator \($0), event \(overview.epoch)-\(overview.sequence)" }
                ?? "no coordinator: no node with a valid lease coordinates",
        ]
        lines.append(
            overview.isDurable
                ? "commits await a standby: a fail-over to it loses no event"
                : "commits await no standby: a fail-over can lose the newest events, and begins a new epoch"
        )
        lines += overview.problems.map { "\($0.detail) [\($0.code.rawValue)]" }
        for location in overview.isolated {
            lines.append("\(location) is isolated: it alone reports many targets down; check its network")
        }
        if overview.inbox > 0 { lines.append("\(overview.inbox) reports wait for the coordinator") }
        guard !overview.nodes.isEmpty else { return lines + ["no nodes: start reachd with fleet.database"] }
        var table = TextTable(["NODE", "LOCATION", "STATE", "TARGETS", "BACKLOG", "ROUND TRIP", "UP FOR", "VERSION"])
        for node in overview.nodes {
            table.add([
                TextTable.Cell(node.name), TextTable.Cell(node.location), FleetNodeReport.state(of: node),
                TextTable.Cell("\(node.targets)", isRight: true), TextTable.Cell("\(node.backlog)", isRight: true),
                FleetNodeReport.roundTrip(of: node),
                TextTable.Cell(FleetNodeReport.age(of: node, overview), isRight: true), TextTable.Cell(node.version),
            ])
        }
        return lines + table.lines(on: terminal) + receivers(overview, on: terminal)
    }

    private static func receivers(_ overview: FleetOverview, on terminal: Terminal) -> [String] {
        guard !overview.receivers.isEmpty else { return [] }
        var table = TextTable(["RECEIVER", "SERVED BY", "BEHIND", ""])
        for receiver in overview.receivers {
            table.add([
                TextTable.Cell(receiver.name),
                receiver.node.map { TextTable.Cell($0) } ?? TextTable.Cell("no node", .yellow),
                TextTable.Cell("\(max(0, overview.sequence - receiver.consumed))", isRight: true),
                TextTable.Cell(receiver.isAmbiguous ? "nodes define it differently" : "", .yellow),
            ])
        }
        return table.lines(on: terminal)
    }

    /// For programs.
    static func json(_ overview: FleetOverview) -> [UInt8] {
        var writer = JSONWriter()
        writer.fleetOverview(overview)
        return writer.take()
    }
}
