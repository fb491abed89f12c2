// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration
import NetworkPaths
import Schema

/// `reachd path`
struct PathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Show whether this machine has a route to targets, by which interface and gateway.",
        discussion: """
            TARGET is default, default%INTERFACE, an address, ADDRESS%INTERFACE, LOCAL>REMOTE, LOCAL> or a name. The answer \
            comes from the kernel of the current network namespace. No running service is needed. No packet is sent, except \
            DNS queries for names. Exit status: 0 all reachable, 1 at least one is not, 2 usage, 69 no events \
            from the kernel, 71 system error, 78 AF_NETLINK is not allowed.
            """
    )

    @Argument(help: "The destination.")
    var target: [String]

    @Flag(help: "Print JSON: {\"paths\": [{\"target\": …}]}; with --watch one object per line.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print columns with the flags of SCNetworkReachability.")
    var verbose = false

    @Flag(help: "Keep running and print every change with its time.")
    var watch = false

    @Option(
        help: ArgumentHelp(
            "Set the type of interfaces by name or alternative name, such as 'wl*=wifi'; the first match wins.",
            discussion: "Types: wifi, cellular, wired_ethernet, tunnel, other.",
            valueName: "pattern=type"
        )
    )
    var interfaceType: [String] = []

    @Option(
        help: ArgumentHelp(
            "Declare a connection that can be established, such as '10.0.0.0/8=traffic' or 'default=manual'.",
            discussion: "Modes: traffic, demand, intervention, manual.",
            valueName: "match=mode"
        )
    )
    var connection: [String] = []

    @Option(help: ArgumentHelp("The firewall mark of the packets.", valueName: "number"))
    var mark: String?

    @Option(help: ArgumentHelp("Where sysfs is mounted.", valueName: "directory"))
    var sysfs: String?

    func validate() throws {
        _ = try requests()
        _ = try options()
    }

    func run() throws {
        let requests = try requests()
        let options = try options()
        let report = PathReport(format: json ? .json : verbose ? .verbose : .text, targets: target)
        let session = PathSession(requests: requests, report: report, watching: watch)
        let isReachable: Bool
        do throws(PathEngineError) {
            isReachable = try session.run(options)
        } catch {
            StandardStream.error.write(line: "reachd: \(error)")
            throw ExitStatus(error.code)
        }
        if !isReachable { throw ExitStatus.negative }
    }

    private func requests() throws -> [PathSession.Request] {
        guard !target.isEmpty else { throw ValidationError("Name at least one target.") }
        return try target.map { text in
            do throws(PathTargetError) {
                return PathSession.Request(text: text, request: PathRequest(try PathTarget(parsing: text)))
            } catch {
                throw ValidationError(error.message)
            }
        }
    }

    private func options() throws -> PathEngineOptions {
        var options = PathEngineOptions()
        do throws(ConfigurationDiagnostic) {
            for text in interfaceType {
                options.interfaceRules.append(try OptionText.interfaceRule(text, option: "--interface-type"))
            }
            for text in connection {
                options.connections.append(try OptionText.connection(text, option: "--connection"))
            }
            if let mark { options.mark = try OptionText.mark(mark, option: "--mark") }
        } catch {
            throw ValidationError(error.description)
        }
        if let sysfs { options.sysfsRoot = sysfs }
        return options
    }
}

extension ExitStatus {
    /// The exit status of a service that cannot watch paths (linux-paths section 9).
    init(_ code: PathEngineError.Code) {
        self =
            switch code {
            case .netlinkRefused: .configuration
            case .eventsUnavailable: .unavailable
            case .system: .system
            }
    }
}
