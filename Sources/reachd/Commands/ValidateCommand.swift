// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration

/// `reachd validate`
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Checks a configuration file and says everything that is wrong with it.",
        discussion: "Faults are printed as FILE:LINE:COLUMN: WORDS. Exit status: 0 valid, 1 faults, 2 usage."
    )

    @Argument(help: "The configuration file; REACHD_CONFIG names it otherwise.")
    var file: String?

    func run() throws {
        let environment = ProcessEnvironment.variables()
        var options = ConfigurationOptions()
        options.config = file
        let path = options.path(environment)
        do throws(ConfigurationFaults) {
            let loaded = try ConfigurationLoader(environment: environment).load(file: path)
            for warning in loaded.warnings { StandardStream.error.write(line: "warning: \(warning)") }
            let count = loaded.configuration.targets.count
            let words = count == 1 ? "1 target" : "\(count) targets"
            StandardStream.output.write(line: "\(path ?? "no file"): valid, \(words)")
        } catch {
            StandardStream.output.write(line: error.description)
            throw ExitStatus.negative
        }
    }
}
