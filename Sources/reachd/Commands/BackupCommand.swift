// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration
import History

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the event log to a new file while the service runs.",
        discussion: """
            The copy is a consistent snapshot. It has its own epoch, so clients of a service that starts with it receive a \
            snapshot. Exit status: 0 copied, 1 not copied, 2 usage, 78 invalid configuration.
            """
    )

    @OptionGroup
    var configuration: ConfigurationOptions

    @Option(
        help: ArgumentHelp("The event log (default: the configured one).", valueName: "file"),
        completion: .file()
    )
    var from: String?

    @Argument(help: ArgumentHelp("The new file.", valueName: "file"), completion: .file())
    var to: String

    func run() throws {
        let environment = ProcessEnvironment.variables()
        let source = try from ?? configured(environment)
        guard let source else {
            StandardStream.error.write(line: "reachd: the configuration has no event log; pass one with --from")
            throw ExitStatus.usage
        }
        do throws(HistoryError) {
            try SQLiteBackup.copy(source, to: to)
        } catch {
            StandardStream.error.write(line: "reachd: cannot copy the event log: \(error)")
            throw ExitStatus.negative
        }
    }

    private func configured(_ environment: [String: String]) throws -> String? {
        do throws(ConfigurationDiagnostics) {
            let loader = ConfigurationLoader(environment: environment)
            let history = try loader.load(file: configuration.path(environment)).configuration.history
            return history.isEnabled ? history.file(environment) : nil
        } catch {
            for fault in error.diagnostics { StandardStream.error.write(line: "\(fault)") }
            throw ExitStatus.configuration
        }
    }
}
