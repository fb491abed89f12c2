// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration
import HTTPServer

/// `reachd serve`
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the service: watch the configured targets and serve the HTTP interface (default).",
        discussion: """
            Options override REACHD_ environment variables, which override the file. SIGHUP reloads the configuration, SIGTERM \
            and SIGINT stop the service. Exit status: 0 stopped by a signal, 2 usage, 69 the kernel sends no events, an address \
            to listen on cannot be used, another process uses the event log or the state file, or a system library has an \
            unsupported version, 71 system error, 74 a required event log cannot be written, 78 invalid configuration, or \
            AF_NETLINK is not allowed.
            """
    )

    @OptionGroup
    var configuration: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "The address to listen on: 127.0.0.1:7532, [::1]:7532, *:7532, unix:/run/reachd.sock, systemd; may be repeated.",
            valueName: "address"
        )
    )
    var listen: [String] = []

    @Option(help: "The minimum log level: trace, debug, info, notice, warning, error, critical.")
    var logLevel: String?

    @Option(help: "The log format: text or json.")
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
            throw ServiceFailure(
                .unavailable,
                ["reachd: cannot use the sockets of the service manager: \(error.message)"]
            )
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
