// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser

/// From arguments to an exit status.
enum Program {
    /// The version, as in semantic versioning.
    static let version = "0.1.0"

    /// Runs the command that the arguments name, and says on the standard error what went wrong.
    static func run(_ arguments: [String]) -> Int32 {
        SignalSet.reset()
        do {
            var command = try ReachdCommand.parseAsRoot(arguments)
            try command.run()
            return 0
        } catch let status as ExitStatus {
            return status.rawValue
        } catch {
            let status = ReachdCommand.exitCode(for: error)
            // Complaints quote arguments; whoever took a key's file for its name is not to find the key in a log.
            let isSecret = arguments.contains { $0.contains("-----BEGIN") }
            let text =
                isSecret
                ? "Error: an argument is what a file holds; name the file." : ReachdCommand.fullMessage(for: error)
            // Help and version are answers, not errors.
            let stream: StandardStream = status.isSuccess ? .output : .error
            if !text.isEmpty { stream.write(line: text) }
            guard !status.isSuccess else { return 0 }
            // Container engines know 0 and 1 of a health check and reserve the rest.
            return arguments.first == HealthcheckCommand.configuration.commandName ? 1 : ExitStatus.usage.rawValue
        }
    }
}
