// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import BlockingHTTP
import Configuration
public import Monitoring

/// How an answer looks.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    @Option(help: "When to use colours; auto: on a terminal, unless NO_COLOR is set.")
    var color: ColorChoice = .auto

    /// The standard output.
    var terminal: Terminal { Terminal(color) }
}

extension StandardStream {
    /// Writes a service's JSON as it is; to a terminal without what that could obey.
    func write(json body: [UInt8]) {
        let safe = Terminal.isOutput ? TerminalText.safe(json: body) : body
        write(safe + (safe.last == 0x0A ? [] : [0x0A]))
    }
}

extension TargetState: ExpressibleByArgument {}

/// Which targets, as the HTTP interface filters them.
struct TargetFilterOptions: ParsableArguments {
    @Option(help: "Only targets in this state; may be repeated.")
    var state: [TargetState] = []

    @Option(help: ArgumentHelp("Only targets of this group; may be repeated.", valueName: "name"))
    var group: [String] = []

    @Option(
        help: ArgumentHelp("Only targets with this tag; may be repeated, all must match.", valueName: "name:value")
    )
    var tag: [String] = []

    @Option(
        name: [.customShort("q"), .customLong("query")],
        help: ArgumentHelp("Only targets with this text in id, name, host or address.", valueName: "text")
    )
    var query: String?

    func add(to query: inout URLQuery) {
        query.add("state", each: state.map(\.rawValue))
        query.add("group", each: group)
        query.add("tag", each: tag)
        if let text = self.query { query.add("q", text) }
    }
}

/// The options of every command that reads the configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The configuration file (default: REACHD_CONFIG).",
            discussion: "Without a file, reachd watches default paths, gateways and resolvers.",
            valueName: "file"
        ),
        completion: .file()
    )
    var config: String?

    /// The file that is meant.
    func path(_ environment: [String: String]) -> String? {
        config ?? environment[EnvironmentVariables.file].flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// Whose view of the targets a command shows.
struct ScopeOptions: ParsableArguments {
    /// The scopes of the HTTP interface.
    enum Scope: String, CaseIterable, ExpressibleByArgument {
        case node, fleet
    }

    @Option(
        help: ArgumentHelp(
            "In a fleet: the whole fleet, or only what the asked node knows.",
            discussion: "Default: fleet where the service belongs to one.",
            valueName: "fleet|node"
        )
    )
    var scope: Scope?

    func add(to query: inout URLQuery) {
        if let scope { query.add("scope", scope.rawValue) }
    }

    /// `?scope=…`; empty for the default.
    var text: String {
        var query = URLQuery()
        add(to: &query)
        return query.text
    }
}

/// Which event log's file a command means.
struct LogFileOptions: ParsableArguments {
    @OptionGroup
    var configuration: ConfigurationOptions

    @Option(
        name: .customLong("file"),
        help: ArgumentHelp("The event log's file (default: the configured one).", valueName: "file"),
        completion: .file()
    )
    var file: String?

    /// The file that is meant.
    ///
    /// - Throws: ``ExitStatus``, after it said why.
    func path() throws -> String {
        if let file { return file }
        let environment = ProcessEnvironment.variables()
        let history: HistoryConfiguration
        do throws(ConfigurationDiagnostics) {
            let loader = ConfigurationLoader(environment: environment)
            history = try loader.load(file: configuration.path(environment)).configuration.history
        } catch {
            for fault in error.diagnostics { StandardStream.error.write(line: "\(fault)") }
            throw ExitStatus.configuration
        }
        guard history.isEnabled, let path = history.file(environment) else {
            StandardStream.error.write(line: "reachd: the configuration has no event log; pass one with --file")
            throw ExitStatus.usage
        }
        return path
    }
}
