// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Fleet
import JSON

/// `reachd fleet`
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Manage a fleet: nodes that share targets over a PostgreSQL database.",
        discussion: """
            These commands use the fleet's database, not a running service. Exit status: 0 success, 1 not applied or no such node, \
            2 usage, 69 the database cannot be used, 78 invalid configuration.
            """,
        subcommands: [
            FleetInitCommand.self, FleetMigrateCommand.self, FleetApplyCommand.self, FleetStatusCommand.self,
            FleetNodesCommand.self, FleetDrainCommand.self, FleetUndrainCommand.self,
        ]
    )
}

/// `reachd fleet status`
struct FleetStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the fleet's nodes, targets and coordinator."
    )

    @OptionGroup
    var fleet: FleetOptions

    @OptionGroup
    var output: OutputOptions

    func run() throws {
        let overview = try FleetConsole.overview(fleet)
        if output.json {
            StandardStream.output.write(json: FleetReport.json(overview))
        } else {
            for line in FleetReport.lines(overview, on: output.terminal) { StandardStream.output.write(line: line) }
        }
    }
}

/// `reachd fleet nodes`
struct FleetNodesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nodes",
        abstract: "List the fleet's nodes, or show one.",
        discussion: """
            SKEW is how far the database's clock is ahead of the node's; RECEIVERS are those of notifications that the node serves.
            """
    )

    @OptionGroup
    var fleet: FleetOptions

    @OptionGroup
    var output: OutputOptions

    @Argument(help: "The node's name; without it all nodes are listed.")
    var node: String?

    func run() throws {
        let overview = try FleetConsole.overview(fleet)
        guard let name = node else {
            guard !output.json else { return StandardStream.output.write(json: FleetNodeReport.json(overview)) }
            return write(FleetNodeReport.lines(overview, on: output.terminal))
        }
        guard let node = overview.nodes.first(where: { $0.name == name }) else {
            throw FleetConsole.unknownNode(name)
        }
        guard !output.json else { return StandardStream.output.write(json: FleetNodeReport.json(node, overview)) }
        write(FleetNodeReport.lines(node, overview, on: output.terminal))
    }

    private func write(_ lines: [String]) {
        for line in lines { StandardStream.output.write(line: line) }
    }
}

/// `reachd fleet drain`
struct FleetDrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Move a node's targets to other nodes of its location, before its maintenance.",
        discussion: "The node keeps probing each target until another node has taken it."
    )

    @OptionGroup
    var fleet: FleetOptions

    @Argument(help: "The node's name.")
    var node: String

    func run() throws { try FleetConsole.setDraining(true, node, fleet) }
}

/// `reachd fleet undrain`
struct FleetUndrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undrain",
        abstract: "Let a drained node take targets again."
    )

    @OptionGroup
    var fleet: FleetOptions

    @Argument(help: "The node's name.")
    var node: String

    func run() throws { try FleetConsole.setDraining(false, node, fleet) }
}

extension FleetConsole {
    fileprivate static func overview(_ fleet: FleetOptions) throws -> FleetOverview {
        let overview: FleetOverview? = try run(try fleet.settings(), for: .read) {
            $0.ask(FleetOverview.question, completion: $1)
        }
        guard let overview else {
            throw CommandError.report("the database has no fleet: run reachd fleet init", .unavailable)
        }
        return overview
    }

    fileprivate static func unknownNode(_ name: String) -> ExitStatus {
        CommandError.report("the fleet has no node \(name); reachd fleet nodes lists all", .negative)
    }

    fileprivate static func setDraining(_ isDraining: Bool, _ node: String, _ fleet: FleetOptions) throws {
        let exists: Bool = try run(try fleet.settings(), for: .write) {
            $0.ask(FleetOverview.drain(isDraining, node: node), completion: $1)
        }
        guard exists else { throw unknownNode(node) }
        StandardStream.output.write(line: "\(node): \(isDraining ? "draining" : "takes targets")")
    }
}
