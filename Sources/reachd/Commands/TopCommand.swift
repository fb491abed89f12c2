// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Glibc
import LinuxIO
import Monitoring

/// `reachd top`
struct TopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show network, incidents and targets on the whole terminal, and keep them current.",
        discussion: """
            Queries a running service. Targets that fail are at the top. Keys: q quit; arrows, j, k, Page Up and Page Down \
            scroll; / filters by id, name, group or state, Escape ends the filter; s changes the order; f shows only targets that \
            are not up. While the connection is lost the first line shows since when.

            Exit status: 0 success, 2 usage or not a terminal, 69 no answer, 76 the server is not reachd, 77 a token is required, \
            78 invalid configuration.

            Examples:
              reachd top
              reachd top --once
            """
    )

    @Flag(help: "Print one screen and exit; of the size of COLUMNS and LINES in a pipe.")
    var once = false

    @Option(help: "When to use colours; auto: on a terminal, unless NO_COLOR is set.")
    var color: ColorChoice = .auto

    @OptionGroup
    var scope: ScopeOptions

    @OptionGroup
    var service: ServiceOptions

    func run() throws {
        guard once || FullScreen.isPossible else {
            throw CommandError.report(
                "reachd top needs a terminal; use reachd top --once, or reachd watch",
                .usage
            )
        }
        let terminal = Terminal(color)
        let client = try service.client()
        if once { return try printOnce(client, terminal) }
        let start = try load(client)
        let status: Int32
        do throws(SystemError) {
            let wake = try OwnedDescriptor.eventCounter()
            let signals = try TopSession.prepare(wake: wake)
            let feed = try TopFeed(client.askers, scope: scope.text, start: start, wake: wake)
            let session = TopSession(feed, wake: wake, signals: signals, terminal: terminal)
            status = try session.run().map { 128 + $0 } ?? 0
        } catch {
            throw CommandError.report("\(error)", .system)
        }
        // The feed's thread may be in the middle of TLS: no handlers of libraries run under it.
        _exit(status)
    }

    private func load(_ client: ServiceClient) throws -> TopFeed.Snapshot {
        do throws(ServiceFault) {
            return try TopFeed.load(client, scope: scope.text)
        } catch {
            throw error.report()
        }
    }

    private func printOnce(_ client: ServiceClient, _ terminal: Terminal) throws {
        let lines = ProcessEnvironment.variables()["LINES"].flatMap { Int($0) }
        let height = lines.map { min(max($0, 5), 1_000) } ?? (Terminal.isOutput ? FullScreen.size.height : 24)
        let screen = TopScreen(terminal: terminal, width: terminal.width ?? 100, height: height)
        let drawn = screen.draw(
            try load(client).model,
            TopView(),
            now: SystemWallClock().now(),
            isInteractive: false
        )
        StandardStream.output.write(line: drawn.rows.joined(separator: "\n"))
    }
}
