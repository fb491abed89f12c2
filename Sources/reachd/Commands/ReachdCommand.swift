// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser

/// `reachd`
struct ReachdCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reachd",
        abstract: "Says what is reachable from this machine, and tells when that changes.",
        version: "reachd \(Program.version)",
        subcommands: [
            ServeCommand.self, StatusCommand.self, TargetsCommand.self, WatchCommand.self, ExplainCommand.self,
            CheckCommand.self, DoctorCommand.self, ValidateCommand.self, SchemaCommand.self, PathCommand.self,
            TrustCommand.self, HealthcheckCommand.self, BackupCommand.self, ExportCommand.self, ImportCommand.self,
            NotifyCommand.self,
        ],
        defaultSubcommand: ServeCommand.self
    )
}
