// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration
import HTTPServer
import History
import LinuxIO
import PostgreSQL
import Probing
import Schema
import ServerTrust

/// From arguments to an exit status.
enum Program {
    /// The version, as in semantic versioning.
    static let version = "0.1.0"

    /// Runs the command that the arguments name, and says on the standard error what went wrong.
    static func run(_ arguments: [String]) -> Int32 {
        SignalSet.reset()
        do {
            var command = try ReachdCommand.parseAsRoot(arguments)
            try SystemLibraries.check()
            try command.run()
            return ending(with: 0)
        } catch let status as ExitStatus {
            return ending(with: status.rawValue)
        } catch {
            let status = ReachdCommand.exitCode(for: error)
            // Errors quote arguments; a key passed by mistake in place of its path must not reach a log.
            let isSecret = arguments.contains { $0.contains("-----BEGIN") }
            let text =
                isSecret
                ? "Error: an argument has the content of a file; pass its path."
                : (status.isSuccess ? nil : unknownCommand(arguments)) ?? ReachdCommand.fullMessage(for: error)
            // A plugin of Nagios that cannot be run knows nothing, and is heard on its standard output alone.
            if !status.isSuccess, arguments.first == CheckCommand.configuration.commandName,
                arguments.contains("--nagios")
            {
                StandardStream.output.write(line: NagiosReport.unknown(String(text.prefix { $0 != "\n" })))
                return ExitStatus.other.rawValue
            }
            // Help and version are answers, not errors.
            let stream: StandardStream = status.isSuccess ? .output : .error
            if !text.isEmpty { stream.write(line: text) }
            guard !status.isSuccess else { return ending(with: 0) }
            // Container engines know 0 and 1 of a health check and reserve the rest.
            return arguments.first == HealthcheckCommand.configuration.commandName ? 1 : ExitStatus.usage.rawValue
        }
    }

    /// The exit status: an answer that is not whole must not look like one. A failure stays what it is.
    private static func ending(with status: Int32) -> Int32 {
        guard let failure = StandardStream.outputFailure else { return status }
        StandardStream.error.write(line: "reachd: output truncated: \(failure)")
        return status == 0 ? ExitStatus.inputOutput.rawValue : status
    }

    /// That the first word is not a command, and which was meant: it went to the default command, whose usage would not help.
    private static func unknownCommand(_ arguments: [String]) -> String? {
        guard let word = arguments.first, !word.hasPrefix("-") else { return nil }
        let names = ReachdCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard !names.contains(word), word != "help" else { return nil }
        let near = NearestName.of(word, among: names).map { "; did you mean reachd \($0)?" } ?? "; see reachd --help"
        return "Error: unknown command '\(TerminalText.safe(word, limit: 64))'\(near)"
    }
}

/// `reachd`
struct ReachdCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reachd",
        abstract: "Watch what this machine can reach, when that changes, and why.",
        version: "reachd \(Program.version)",
        subcommands: [
            ServeCommand.self, StatusCommand.self, TargetsCommand.self, WatchCommand.self, TopCommand.self,
            IncidentsCommand.self, ExplainCommand.self,
            CheckCommand.self, TraceCommand.self, DoctorCommand.self, ValidateCommand.self, SchemaCommand.self,
            PathCommand.self,
            TrustCommand.self, HealthcheckCommand.self, BackupCommand.self, ExportCommand.self, ImportCommand.self,
            NotifyCommand.self, FleetCommand.self,
        ],
        defaultSubcommand: ServeCommand.self
    )
}

/// The libraries of the system that the program behaves as it does because of.
enum SystemLibraries {
    /// All of them, in the versions that are loaded.
    static var all: [SystemLibrary] { [.cAres, .microHTTPD, .openSSL, .curl, .sqlite, .libpq] }

    /// Refuses to run with a version that is not known to work: a library that behaves otherwise than the tests saw can make
    /// every verdict wrong, and not be noticed.
    static func check() throws(ExitStatus) {
        let faults = all.compactMap(\.fault)
        guard !faults.isEmpty else { return }
        for fault in faults { _ = CommandError.report("unsupported_library: \(fault)", .unavailable) }
        throw .unavailable
    }
}
