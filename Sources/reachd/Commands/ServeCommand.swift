// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration
import HTTPServer

/// `reachd serve`
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Watches the configured targets and serves what it sees by HTTP (default).",
        discussion: """
            Options win over REACHD_ environment variables, which win over the file. SIGHUP reads the configuration again, \
            SIGTERM and SIGINT end the service. Exit status: 0 ended by a signal, 2 usage, 69 no events from this kernel or \
            no address to listen on, or another reachd has the event log, or a library of the system is of a version that is not \
            known to work, 71 the system refused, 74 the disk does not take an event \
            log that is required, 78 faults in the configuration.
            """
    )

    @OptionGroup
    var configuration: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "Where to listen: 127.0.0.1:7532, [::1]:7532, *:7532, unix:/run/reachd.sock, systemd; can be repeated.",
            valueName: "address"
        )
    )
    var listen: [String] = []

    @Option(help: "The least that is logged: trace, debug, info, notice, warning, error, critical.")
    var logLevel: String?

    @Option(help: "How the log looks: text or json.")
    var logFormat: String?

    func run() throws {
        // Before anything makes a thread: all of them must leave the signals to this one.
        let signals = SignalSet()
        let environment = ProcessEnvironment.variables()
        let source = ConfigurationSource(
            path: configuration.path(environment),
            loader: ConfigurationLoader(environment: environment, overrides: overrides)
        )
        let service: Service
        do throws(ServiceFailure) {
            service = try Service(
                source: source,
                notifier: ServiceNotifier(environment: environment),
                activation: Self.activation(environment)
            )
            try service.start()
        } catch {
            for line in error.lines { StandardStream.error.write(line: line) }
            throw error.status
        }
        while case .reload = signals.next() { service.reload() }
        service.stop()
    }

    private static func activation(_ environment: [String: String]) throws(ServiceFailure) -> SocketActivation {
        do throws(HTTPServerError) {
            return try SocketActivation(environment: environment)
        } catch {
            throw ServiceFailure(.unavailable, ["reachd: cannot take what was handed over: \(error.message)"])
        }
    }

    private var overrides: [ConfigurationOverride] {
        var overrides: [ConfigurationOverride] = []
        if !listen.isEmpty {
            overrides.append(.init("listen", listen.joined(separator: ","), option: "--listen"))
        }
        if let logLevel { overrides.append(.init("log.level", logLevel, option: "--log-level")) }
        if let logFormat { overrides.append(.init("log.format", logFormat, option: "--log-format")) }
        return overrides
    }
}
