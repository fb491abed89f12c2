// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration

/// Which event log's file a command means.
struct LogFileOptions: ParsableArguments {
    @OptionGroup
    var configuration: ConfigurationOptions

    @Option(
        name: .customLong("file"),
        help: ArgumentHelp("The event log's file, instead of the configured one.", valueName: "file"),
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
        do throws(ConfigurationFaults) {
            let loader = ConfigurationLoader(environment: environment)
            history = try loader.load(file: configuration.path(environment)).configuration.history
        } catch {
            for fault in error.faults { StandardStream.error.write(line: "\(fault)") }
            throw ExitStatus.configuration
        }
        guard history.isEnabled, let path = history.file(environment) else {
            StandardStream.error.write(line: "reachd: the configuration has no event log; name one with --file")
            throw ExitStatus.usage
        }
        return path
    }
}
