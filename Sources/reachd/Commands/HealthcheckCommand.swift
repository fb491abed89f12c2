// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import BlockingHTTP
import JSON
import LinuxIO

/// `reachd healthcheck`
struct HealthcheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Check whether a running service is ready, or whether a target is up.",
        discussion: """
            Finds the service like reachd status, and prefers an address without TLS. Prints one line. Exit status: 0 healthy, 1 \
            anything else, as container engines expect.

            --target needs a token if the service requires one; readiness needs none.

            Examples:
              reachd healthcheck
              reachd healthcheck --target nas --token-file /run/secrets/reachd
            """
    )

    @Option(
        help: ArgumentHelp("Check this target instead of the service.", valueName: "id"),
        completion: .targets
    )
    var target: String?

    @OptionGroup
    var service: ServiceOptions

    func validate() throws {
        guard target != "" else { throw ValidationError("--target needs an id.") }
    }

    func run() throws {
        do throws(ServiceFault) {
            let path = target.map { "/targets/\(URLText.escaped($0))/health" } ?? "/readyz"
            let client = try service.found()
            let answer = try client.ask(path, accepting: [200, 404, 503])
            let body = try? JSONValue(reading: answer.body)
            if answer.status == 404, body?["type"]?.text == "urn:reachd:problem:unknown_target" {
                throw ServiceFault("unknown target", .negative)
            }
            guard body?[target == nil ? "status" : "state"] != nil else {
                throw ServiceFault("the server at \(client.place) is not reachd", .negative)
            }
            guard answer.status == 200 else { throw ServiceFault("HTTP \(answer.status) for \(path)", .negative) }
            StandardStream.output.write(line: "healthy: \(path) at \(client.place)")
        } catch {
            StandardStream.output.write(line: "unhealthy: \(TerminalText.safe(error.words))")
            throw ExitStatus.negative
        }
    }
}
