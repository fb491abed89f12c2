// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration

/// The options of every command that reads the configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The configuration file; REACHD_CONFIG names it otherwise.",
            discussion: "Without a file reachd watches what every machine has.",
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
