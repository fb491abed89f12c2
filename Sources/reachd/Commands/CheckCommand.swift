// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration
import LinuxIO
import Monitoring
import Probing
import ReachAPI
import Schema
import ServerTrust

/// `reachd check`
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Probe a target once from this machine and show the cause of a failure.",
        discussion: """
            No running service is needed. TARGET is a URL (http, https), HOST:PORT (tcp), HOST (icmp), or has a scheme: \
            \(schemes). Bars show the phases of the \
            probe. After a failure, reachd looks up the path in the kernel and probes the gateway.

            Exit status: 0 success, 1 the target is at fault or -c exceeded, 2 usage, 3 unknown (for example no reply from a UDP \
            port), 4 not reachable (this machine's network, a router or DNS is at fault), 71 system error. With --nagios, one line with performance data: 0 OK, 1 WARNING (degraded, or -w exceeded), 2 CRITICAL \
            (caused by the target, or -c exceeded), 3 UNKNOWN (not caused by the target, undecided, or usage).

            Examples:
              reachd check https://example.org/
              reachd check 192.0.2.25:25 --timeout 2s
              reachd check --nagios -w 500ms,14d -c 2s,3d https://example.org/
              reachd check dns://192.0.2.53/example.org --record MX
            """
    )

    private static var schemes: String {
        let schemes = ProbeKind.all.filter { $0.description.port != .url }.flatMap(\.description.schemes)
        return schemes.map { $0 == "dns" ? "dns://SERVER/NAME" : "\($0)://" }.joined(separator: ", ")
    }

    @Argument(help: ArgumentHelp("The target.", valueName: "url|host[:port]"))
    var target: String

    @Option(
        help: "The type of probe: \(CheckKind.allValueStrings.joined(separator: ", ")) (default: from TARGET)."
    )
    var type: CheckKind?

    @Option(
        help: ArgumentHelp(
            "The timeout of the probe. Without an answer, probing the gateway takes up to 3.5 seconds more, and tracing the path 2.",
            valueName: "duration"
        )
    )
    var timeout = "5s"

    @Flag(name: .customShort("4"), help: "Use IPv4 only.")
    var four = false

    @Flag(name: .customShort("6"), help: "Use IPv6 only.")
    var six = false

    @Option(help: ArgumentHelp("dns: the name to query.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("dns: the record type (default: A).", valueName: "type"))
    var record: String?

    @Option(help: ArgumentHelp("icmp: the number of echo requests, 1 to 1000 (default: 1).", valueName: "number"))
    var count: Int?

    @Option(
        help: ArgumentHelp("Trusted authorities in place of the system's (PEM).", valueName: "file"),
        completion: .file()
    )
    var cacert: String?

    @Flag(help: "Accept any certificate.")
    var insecure = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Warn above this duration (icmp: average round trip) or below this many days of certificate validity: 500ms,14d.",
            valueName: "bounds"
        )
    )
    var warning: [String] = []

    @Option(name: .shortAndLong, help: ArgumentHelp("The same for critical.", valueName: "bounds"))
    var critical: [String] = []

    @Flag(help: "Print one line and exit as a Nagios plugin.")
    var nagios = false

    @OptionGroup
    var output: OutputOptions

    func validate() throws {
        guard !nagios || !output.json else { throw ValidationError("Use either --nagios or --json.") }
        guard !four || !six else { throw ValidationError("Use either -4 or -6.") }
        guard (1...1_000).contains(count ?? 1) else { throw ValidationError("--count must be from 1 to 1000.") }
        _ = try request()
        _ = try bounds()
        try readAuthorities()
    }

    func run() throws {
        let (warning, critical) = try bounds()
        let run = CheckRun(subject: target, request: try request(), tracesSilence: !nagios)
        let outcome: CheckOutcome
        do throws(CheckFailure) {
            outcome = try run.run()
        } catch {
            if nagios {
                StandardStream.output.write(line: NagiosReport.unknown(error.words))
                throw ExitStatus.other
            }
            throw CommandError.report(error.words, .system)
        }
        let report = NagiosReport(outcome, warning: warning, critical: critical)
        if nagios {
            StandardStream.output.write(line: report.line)
            if let status = ExitStatus(rawValue: report.status.rawValue) { throw status }
            return
        }
        if output.json {
            StandardStream.output.write(json: outcome.listing.document)
        } else {
            StandardStream.output.write(line: CheckReport(outcome).lines(on: output.terminal).joined(separator: "\n"))
        }
        switch outcome.state {
        case .unknown: throw ExitStatus.other
        case .unreachable: throw ExitStatus.unreachable
        case .down: throw ExitStatus.negative
        default: if report.status == .critical { throw ExitStatus.negative }
        }
    }

    private func bounds() throws -> (CheckThresholds, CheckThresholds) {
        do throws(CheckThresholds.Fault) {
            return (
                try CheckThresholds(warning, option: "--warning"), try CheckThresholds(critical, option: "--critical")
            )
        } catch {
            throw ValidationError(error.words)
        }
    }

    /// A file that cannot be used is this side's fault, and is not to look like the server's.
    private func readAuthorities() throws {
        guard let cacert else { return }
        do throws(TrustError) {
            _ = try TrustAnchors(files: [cacert])
        } catch {
            let detail = TerminalText.safe(error.message)
            throw ValidationError("--cacert \(TerminalText.safe(cacert)) cannot be used: \(detail)")
        }
    }

    private func request() throws -> ProbeRequest {
        var arguments = CheckArguments()
        arguments.type = type?.name
        arguments.family = four ? .ipv4 : six ? .ipv6 : .any
        arguments.name = name
        arguments.count = count
        if let record {
            guard let type = DNSRecordType(name: record) else {
                throw ValidationError(
                    "--record \(PrintableBytes.quote(record.utf8)) is not a record type such as A, MX or TYPE99."
                )
            }
            arguments.record = type
        }
        arguments.tls.authorityFile = cacert
        if insecure {
            arguments.tls.policy.allowInvalidCertificates = true
            arguments.tls.policy.validatesDomainName = false
        }
        do throws(ConfigurationDiagnostic) {
            arguments.timeout = try OptionText.duration(timeout, option: "--timeout")
        } catch {
            throw ValidationError(error.description)
        }
        do throws(CheckArguments.Fault) {
            return try arguments.request(target)
        } catch {
            throw ValidationError(error.words)
        }
    }
}

/// The kind of probe that `--type` takes.
struct CheckKind: ExpressibleByArgument {
    static let allValueStrings = ProbeKind.all.map(\.description.name)

    /// Its name.
    let name: String

    init?(argument: String) {
        guard Self.allValueStrings.contains(argument) else { return nil }
        name = argument
    }
}
