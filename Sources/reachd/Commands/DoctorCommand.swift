// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import JSON
import ReachAPI

/// `reachd doctor`
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check what this machine or container allows reachd to do, and how to allow the rest.",
        discussion: """
            Run it as the user and in the container that reachd will run in. No running service is needed. Each name server \
            receives one query; nothing is changed.

            Exit status: 0 reachd can run, perhaps with warnings, 1 it cannot, 2 usage.

            Examples:
              reachd doctor
              reachd doctor --config /etc/reachd/reachd.yaml --json
            """
    )

    @OptionGroup
    var configuration: ConfigurationOptions

    @OptionGroup
    var output: OutputOptions

    func run() throws {
        let environment = ProcessEnvironment.variables()
        let checks = DoctorCheck(environment: environment, file: configuration.path(environment)).run()
        if output.json {
            StandardStream.output.write(json: DiagnosisListing.document(checks))
        } else {
            let terminal = output.terminal
            let width = checks.map(\.id.count).max() ?? 0
            for check in checks {
                let word = TerminalText.padded(check.outcome.rawValue, to: 4)
                let id = TerminalText.padded(check.id, to: width)
                let head = "\(terminal.paint(word, StateColor.of(check.outcome.rawValue)))  \(id)  "
                var lines = TerminalText.hanging(head, TerminalText.safe(check.detail), to: terminal.width)
                if let advice = check.advice {
                    let sign = String(repeating: " ", count: width + 8) + (terminal.isUnicode ? "→ " : "-> ")
                    lines += TerminalText.hanging(sign, TerminalText.safe(advice), to: terminal.width)
                }
                StandardStream.output.write(line: lines.joined(separator: "\n"))
            }
        }
        if checks.contains(where: { $0.outcome == .fail }) { throw ExitStatus.negative }
    }
}
