// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration
import LinuxIO
import Notifying

/// `reachd notify`
struct NotifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Send a test message to a receiver and print the result.",
        discussion: """
            NAME is the name of an element of `notify`; of several Alertmanagers each receives the message. A webhook receives a \
            message of type `test`, an Alertmanager an alert named ReachdTest, which ends after a minute. No running service is \
            needed. Exit status: 0 all accepted it, 1 at least one did not, 2 usage or unknown receiver, 71 system error, 78 \
            invalid configuration.
            """
    )

    @OptionGroup
    var configuration: ConfigurationOptions

    @Option(help: ArgumentHelp("The receiver.", valueName: "name"))
    var test: String

    func run() throws {
        let receivers = try receivers()
        let chosen = receivers.filter { $0.name == test || $0.name.hasPrefix("\(test)/") }
        guard !chosen.isEmpty else {
            let names = receivers.map(\.name).joined(separator: ", ")
            let hint = names.isEmpty ? "the configuration declares no receivers" : "declared: \(names)"
            let shown = PrintableBytes.quote(test.utf8)
            StandardStream.error.write(line: "reachd: unknown receiver \(shown); \(hint)")
            throw ExitStatus.usage
        }
        var isAccepted = true
        for receiver in chosen {
            let outcome: TestDelivery.Outcome
            do throws(SystemError) {
                outcome = try TestDelivery(receiver).run()
            } catch {
                StandardStream.error.write(line: "reachd: \(error)")
                throw ExitStatus.system
            }
            let words = PrintableBytes.escape(outcome.words.utf8, limit: 1_024, keepingBackslash: true)
            StandardStream.output.write(line: "\(receiver.name): \(words)")
            if !outcome.isAccepted { isAccepted = false }
        }
        if !isAccepted { throw ExitStatus.negative }
    }

    private func receivers() throws -> [ReceiverSettings] {
        let environment = ProcessEnvironment.variables()
        do throws(ConfigurationDiagnostics) {
            let loader = ConfigurationLoader(environment: environment)
            return try loader.load(file: configuration.path(environment)).configuration.receivers
        } catch {
            for fault in error.diagnostics { StandardStream.error.write(line: "\(fault)") }
            throw ExitStatus.configuration
        }
    }
}
