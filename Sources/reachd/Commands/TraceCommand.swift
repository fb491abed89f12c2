// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import ArgumentParser
import Configuration
import Probing
import Schema

struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Show the routers on the path to a host, and where the path ends.",
        discussion: """
            No running service and no privilege is needed. TARGET is HOST:PORT (TCP connections to that port) or HOST (echo \
            requests); the packets are like those of a probe, so that firewalls treat them alike. All packets are of one flow \
            where possible, so that routers that balance load send them along one path. Connections that are accepted are \
            reset at once.

            Exit status: 0 the destination answers, 1 it does not, 2 usage, 71 the trace cannot run.

            Examples:
              reachd trace example.org:443
              reachd trace --udp 192.0.2.53:53
              reachd trace --json -6 example.org
              reachd trace --numeric 192.0.2.1
            """
    )

    @Argument(help: ArgumentHelp("The destination.", valueName: "host[:port]"))
    var target: String

    @Flag(help: "Send UDP datagrams to the port (default: 33434).")
    var udp = false

    @Flag(name: .customShort("4"), help: "Use IPv4 only.")
    var four = false

    @Flag(name: .customShort("6"), help: "Use IPv6 only.")
    var six = false

    @Option(help: ArgumentHelp("The largest number of hops, 1 to 64.", valueName: "number"))
    var hops = 30

    @Option(help: ArgumentHelp("The packets for each hop, 1 to 10.", valueName: "number"))
    var attempts = 3

    @Option(help: ArgumentHelp("The time limit, up to 60 seconds.", valueName: "duration"))
    var timeout = "2s"

    @Option(help: ArgumentHelp("The interface to send through.", valueName: "name"))
    var interface: String?

    @Flag(name: [.short, .long], help: "Do not look up the routers' names, which takes up to a second.")
    var numeric = false

    @OptionGroup
    var output: OutputOptions

    func validate() throws {
        guard !four || !six else { throw ValidationError("Use either -4 or -6.") }
        guard (1...64).contains(hops) else { throw ValidationError("--hops must be from 1 to 64.") }
        guard (1...10).contains(attempts) else { throw ValidationError("--attempts must be from 1 to 10.") }
        _ = try request()
    }

    func run() throws {
        let (host, request) = try request()
        let trace: TraceResult
        do throws(CheckFailure) {
            trace = try SingleTrace.run(host, four ? .ipv4 : six ? .ipv6 : .any, request)
        } catch {
            throw CommandError.report(error.words, error.isName ? .negative : .system)
        }
        let report = TraceReport(target, trace, names: numeric ? [:] : HopNames.look(up: trace))
        if output.json {
            StandardStream.output.write(json: report.document)
        } else {
            StandardStream.output.write(line: report.lines(on: output.terminal).joined(separator: "\n"))
        }
        if !trace.isAnswered { throw ExitStatus.negative }
    }

    private func request() throws -> (ProbeHost, TraceRequest) {
        var arguments = CheckArguments()
        arguments.type = nil
        arguments.family = four ? .ipv4 : six ? .ipv6 : .any
        let probe: ProbeRequest
        let limit: Duration
        do throws(CheckArguments.Fault) {
            probe = try arguments.request(target)
        } catch {
            throw ValidationError(error.words)
        }
        do throws(ConfigurationDiagnostic) {
            limit = try OptionText.duration(timeout, option: "--timeout")
        } catch {
            throw ValidationError(error.description)
        }
        guard limit > .zero, limit <= .seconds(60) else { throw ValidationError("--timeout must be up to 60 seconds.") }
        let method: TraceRequest.Method =
            if udp {
                .udp(port: probe.kind.port ?? 33_434)
            } else if let port = probe.kind.port {
                .tcp(port: port)
            } else {
                .icmp
            }
        let request = TraceRequest(
            // The destination is replaced once the name is resolved.
            destination: IPAddress(ipv4: 0),
            method: method,
            interface: interface,
            maximumHops: hops,
            attempts: attempts,
            timeLimit: limit
        )
        return (probe.host, request)
    }
}
