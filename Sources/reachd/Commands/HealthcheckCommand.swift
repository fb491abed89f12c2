// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration

/// `reachd healthcheck`
struct HealthcheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Asks a running reachd whether it is ready, or whether a target is up.",
        discussion: """
            The address is the first one without TLS that the same configuration makes the service listen on. Prints one \
            line. Exit status: 0 healthy, 1 anything else, as container engines want it.
            """
    )

    @OptionGroup
    var configuration: ConfigurationOptions

    @Option(help: ArgumentHelp("Ask about this target instead of the service.", valueName: "id"))
    var target: String?

    @Option(
        help: ArgumentHelp(
            "Where to ask, in place of the configuration: http://127.0.0.1:7532, with the base_path behind it if there is one, "
                + "or unix:/run/reachd.sock.",
            valueName: "url"
        )
    )
    var url: String?

    @Option(help: ArgumentHelp("The time for everything together.", valueName: "duration"))
    var timeout = "3s"

    func run() throws {
        do throws(HealthFailure) {
            let (endpoint, base) = try place()
            let path = base + (try path())
            let probe = HealthProbe(endpoint: endpoint, timeout: try duration())
            let status = try probe.status(of: path)
            guard status == 200 else {
                throw HealthFailure(
                    target != nil && status == 404 ? "there is no such target" : "HTTP \(status) for \(path)"
                )
            }
            StandardStream.output.write(line: "healthy: \(path) at \(endpoint)")
        } catch {
            StandardStream.output.write(line: "unhealthy: \(error.words)")
            throw ExitStatus.negative
        }
    }

    private func path() throws(HealthFailure) -> String {
        guard let target else { return "/readyz" }
        let isID = target.utf8.allSatisfy { byte in
            (0x30...0x3a).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains(byte)
        }
        guard isID, !target.isEmpty else { throw HealthFailure("this cannot be a target's id") }
        return "/targets/\(target)/health"
    }

    private func duration() throws(HealthFailure) -> Duration {
        do throws(ConfigurationFault) {
            return try OptionText.duration(timeout, option: "--timeout")
        } catch {
            throw HealthFailure(error.description)
        }
    }

    /// Where to ask, and what its routes are below.
    private func place() throws(HealthFailure) -> (HealthEndpoint, base: String) {
        if let url { return try HealthEndpoint.place(url: url) }
        let environment = ProcessEnvironment.variables()
        let path = configuration.path(environment)
        let loaded: LoadedConfiguration
        do throws(ConfigurationFaults) {
            loaded = try ConfigurationLoader(environment: environment).load(file: path)
        } catch {
            throw HealthFailure("the configuration has faults; see reachd validate")
        }
        // Asked in the clear: a container's check does not know the certificate's name.
        for place in loaded.configuration.http.listen where place.tls == nil {
            if let endpoint = HealthEndpoint(place.address) { return (endpoint, loaded.configuration.http.basePath) }
        }
        throw HealthFailure(
            "the configuration names no address without TLS; add one such as unix:/PATH, or write --url"
        )
    }
}
