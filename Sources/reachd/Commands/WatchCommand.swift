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
        abstract: "Print events as they happen, until interrupted.",
        discussion: """
            Queries a running service. Prints one line for this machine's network and one for each incident: when it is opened, \
            when it has grown, when it ends. With --target, --group or --tag, these are the incidents with such a target. In a fleet, \
            prints one line for each change of a target's state instead. With -v or --event, prints one line per event, including \
            each target, flags and paths. After a broken connection it resumes without losing or repeating an event; events that are \
            no longer stored are reported on standard error. With --json each event is one line: {"event": TYPE, "id": ID, "data": …}.

            Exit status, only if the first connection fails: 2 usage, 69 no answer, 76 the server is not reachd, 77 a token is \
            required, 78 invalid configuration.

            Examples:
              reachd watch
              reachd watch --group lan
              reachd watch --json --event result --target nas | jq .data.result.duration_seconds
            """
    )

    /// The default types.
    private static let usual = [
        "state", "reachability", "path", "certificate", "route_change", "target", "config", "node", "location",
    ]

    @Option(
        help: ArgumentHelp("Only events of this target; may be repeated.", valueName: "id"),
        completion: .targets
    )
    var target: [String] = []

    @Option(help: ArgumentHelp("Only events of targets of this group; may be repeated.", valueName: "name"))
    var group: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only events of targets with this tag; may be repeated, all must match.",
            valueName: "name:value"
        )
    )
    var tag: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only events of this type: state, incident, reachability, path, certificate, target, config, node, location, vote, result, activity; may be "
                + "repeated.",
            discussion: "Default: all but vote, result and activity; incident only without --json.",
            valueName: "type"
        ),
        completion: .list(usual + ["incident", "vote", "result", "activity"])
    )
    var event: [String] = []

    @Option(
        help: ArgumentHelp(
            "Start after this event, from the event log; an id as printed by --json, EPOCH-NUMBER.",
            valueName: "id"
        )
    )
    var since: String?

    @Flag(name: .shortAndLong, help: "Print a line for every event, including changes of flags and paths.")
    var verbose = false

    @OptionGroup
    var scope: ScopeOptions

    @OptionGroup
    var output: OutputOptions

    @OptionGroup
    var service: ServiceOptions

    func validate() throws {
        guard !target.contains("") else { throw ValidationError("--target needs an id.") }
        guard !event.contains("") else { throw ValidationError("--event needs a type.") }
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
        let client = try service.client()
        let incidents = output.json || !event.isEmpty ? nil : openIncidents(client)
        query.add("event", each: event.isEmpty ? Self.usual + (incidents == nil ? [] : ["incident"]) : event)
        query.add("distinct", "true")
        scope.add(to: &query)
        try client.warnOfAbsent(target)
        let session = WatchSession(
            client: client,
            path: "/events" + query.text,
            line: output.json ? nil : WatchLine(terminal: output.terminal),
            digest: output.json || verbose || !event.isEmpty ? nil : digest(client, incidents)
        )
        throw session.run(since: since)
    }

    /// The open incidents; nil where the service has none to show: an older service, a token for events only.
    private func openIncidents(_ client: ServiceClient) -> (list: [JSONValue], isOnline: Bool?)? {
        var query = URLQuery()
        query.add("state", "open")
        query.add("limit", "1000")
        scope.add(to: &query)
        guard let status = try? document(client, "/status" + scope.text),
            let incidents = try? document(client, "/incidents" + query.text),
            let list = incidents["incidents"]?.elements
        else { return nil }
        return (list, status["network", "system_configuration", "reachable"]?.boolean)
    }

    private func digest(
        _ client: ServiceClient,
        _ incidents: (list: [JSONValue], isOnline: Bool?)?
    ) -> any EventDigest {
        let line = WatchLine(terminal: output.terminal)
        if let incidents {
            var digest = IncidentDigest(line: line, isOnline: incidents.isOnline)
            for incident in incidents.list { digest.learn(incident) }
            return digest
        }
        // The names of targets and the start of their states. Without them, for example with a token for events only, lines have
        // ids and no durations.
        var digest = StateDigest(line: line)
        var query = URLQuery()
        query.add("limit", "10000")
        query.add("fields", "id,name,since,state,cause")
        scope.add(to: &query)
        for target in (try? document(client, "/targets" + query.text))?["targets"]?.elements ?? [] {
            digest.learn(target)
        }
        return digest
    }

    private func document(_ client: ServiceClient, _ path: String) throws -> JSONValue {
        try JSONValue(reading: client.ask(path, accepting: [200]).body)
    }
}
