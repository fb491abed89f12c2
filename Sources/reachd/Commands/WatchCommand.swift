// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import BlockingHTTP
import JSON
import Monitoring

/// `reachd watch`
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints what happens as it happens, until it is interrupted.",
        discussion: """
            Asks a running service. One line for each change of a target's state, and one for this machine's network with the \
            targets that became unreachable or came back with it. With -v, or types named by --event, one line an event: flags, \
            paths and each target of an outage too. When the connection breaks it goes on where it stopped, without losing or repeating an \
            event; what cannot be had any more is said on the standard error. With --json each event is one line: \
            {"event": TYPE, "id": ID, "data": …}.

            Exit status: only when there is nobody at the start: 2 usage, 69 nobody answers, 76 what answers is not reachd, 77 \
            a token is wanted, 78 faults in the configuration.

            Examples:
              reachd watch
              reachd watch --event state --group lan
              reachd watch --json --event result --target nas | jq .data.result.duration_seconds
            """
    )

    /// The types that come when none is named.
    private static let usual = ["state", "reachability", "path", "certificate", "target", "config"]

    @Option(
        help: ArgumentHelp("Only events of this target; may be repeated.", valueName: "id"),
        completion: .targets
    )
    var target: [String] = []

    @Option(help: ArgumentHelp("Only events of targets of this group; may be repeated.", valueName: "name"))
    var group: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only events of targets with this tag; may be repeated, all must be there.",
            valueName: "name:value"
        )
    )
    var tag: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only events of this type: state, reachability, path, certificate, target, config, result, activity; may be repeated.",
            discussion: "Without it everything but result and activity.",
            valueName: "type"
        ),
        completion: .list(usual + ["result", "activity"])
    )
    var event: [String] = []

    @Option(
        help: ArgumentHelp(
            "Begin behind this event, with what the log still has; an id as --json shows it, EPOCH-NUMBER.",
            valueName: "id"
        )
    )
    var since: String?

    @Flag(name: .shortAndLong, help: "A line for every event, changes of flags and paths included.")
    var verbose = false

    @OptionGroup
    var output: OutputOptions

    @OptionGroup
    var service: ServiceOptions

    func validate() throws {
        guard !target.contains("") else { throw ValidationError("An id is missing behind --target.") }
        guard !event.contains("") else { throw ValidationError("A type is missing behind --event.") }
        if let since, EventID(parsing: since) == nil {
            throw ValidationError(
                "--since takes an event's id, EPOCH-NUMBER such as b848310725270657-59, not '\(TerminalText.safe(since, limit: 64))'."
            )
        }
    }

    func run() throws {
        var query = URLQuery()
        query.add("target", each: target)
        query.add("group", each: group)
        query.add("tag", each: tag)
        query.add("event", each: event.isEmpty ? Self.usual : event)
        query.add("distinct", "true")
        let client = try service.client()
        try client.warnOfAbsent(target)
        let session = WatchSession(
            client: client,
            path: "/events" + query.text,
            line: output.json ? nil : WatchLine(terminal: output.terminal),
            digest: output.json || verbose || !event.isEmpty ? nil : try digest(client)
        )
        throw session.run(since: since)
    }

    /// Knows what targets are called, and since when each is in its state.
    private func digest(_ client: ServiceClient) throws -> WatchDigest {
        var digest = WatchDigest(line: WatchLine(terminal: output.terminal))
        // Without them, say with a token for events alone, lines have ids and no durations.
        guard let answer = try? client.ask("/targets?limit=10000&fields=id,name,since,state,cause", accepting: [200]),
            let list = try? JSONValue(reading: answer.body)
        else { return digest }
        for target in list["targets"]?.elements ?? [] { digest.learn(target) }
        return digest
    }
}
