// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import BlockingHTTP
import Configuration
import JSON
import Monitoring
import ReachAPI
import Schema

/// `reachd status`
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract:
            "Show open incidents, this machine's network, targets by state, those that are not up, and the last events.",
        discussion: """
            Queries a running service. With --json prints its answer to GET /status unchanged.

            Exit status: 0 success, 1 a condition of --fail-on holds, 2 usage, 69 no answer, 76 the server is not reachd, 77 a \
            token is required, 78 invalid configuration.

            Examples:
              reachd status
              reachd status --fail-on down,network || echo "not healthy"
              reachd status --url https://reachd.example.org --token-file /etc/reachd/token
            """
    )

    /// The most targets to list.
    private static let listed = 20
    /// The most targets that are sorted.
    private static let sorted = 1_000
    /// The most incidents to list.
    private static let listedIncidents = 10
    /// The most events to show.
    private static let shownEvents = 3

    @Option(
        help: ArgumentHelp(
            "Exit with 1 when a target is down, unreachable, degraded or unknown, or the network is offline.",
            valueName: "condition,…"
        ),
        completion: .list(FailCondition.allCases.map(\.rawValue))
    )
    var failOn: [String] = []

    @OptionGroup
    var scope: ScopeOptions

    @OptionGroup
    var output: OutputOptions

    @OptionGroup
    var service: ServiceOptions

    func validate() throws { _ = try conditions() }

    func run() throws {
        let client = try service.client()
        var query = URLQuery()
        scope.add(to: &query)
        let conditions = try conditions()
        if !conditions.isEmpty { query.add("fail_on", conditions.joined(separator: ",")) }
        let (status, answer) = try client.document("/status" + query.text, accepting: [200, 503])
        // A fleet whose database cannot be read has no counts.
        guard status["summary", "total"] != nil || status["fleet", "node"] != nil else {
            throw client.complain(answer)
        }
        if output.json {
            StandardStream.output.write(json: answer.body)
        } else {
            let terminal = output.terminal
            let incidents = self.incidents(client, status)
            var lines = StatusReport(
                status,
                incidents: incidents,
                place: client.place,
                now: status["generated_at"]?.moment ?? SystemWallClock().now()
            ).lines(on: terminal)
            let isWell = ["down", "unreachable", "degraded", "unknown"].allSatisfy { state in
                (status["summary", state]?.integer ?? 0) == 0
            }
            if !isWell, status["summary"] != nil { lines += try problems(client, terminal) }
            lines += lastEvents(client, status, hasIncidents: incidents != nil, terminal)
            StandardStream.output.write(line: lines.joined(separator: "\n"))
        }
        if answer.status == 503 { throw ExitStatus.negative }
    }

    /// The targets that are not up.
    private func problems(_ client: ServiceClient, _ terminal: Terminal) throws -> [String] {
        var query = URLQuery()
        scope.add(to: &query)
        query.add("state", each: ["down", "unreachable", "degraded", "unknown"])
        query.add("limit", "\(Self.sorted)")
        query.add("fields", TargetRows.fields)
        let list = try client.document("/targets" + query.text).document
        var rows = TargetRows(order: .state)
        // A push target without a cause still has time to send its heartbeat.
        rows.add(list) { $0["state"]?.text != TargetState.unknown.rawValue || $0["cause"] != nil }
        guard !rows.isEmpty else { return [] }
        let unread = max(list["total"]?.integer ?? 0, 0) - (list["targets"]?.elements?.count ?? 0)
        let rest = max(unread, 0) + max(rows.count - Self.listed, 0)
        return [""] + rows.lines(on: terminal, limit: Self.listed)
            + (rest > 0 ? ["and \(rest) more: reachd targets --sort state"] : [])
    }

    /// The open incidents; nil from an older service, or when they cannot be read.
    private func incidents(_ client: ServiceClient, _ status: JSONValue) -> JSONValue? {
        var query = URLQuery()
        query.add("state", "open")
        query.add("limit", "\(Self.listedIncidents)")
        scope.add(to: &query)
        guard let answer = try? client.ask("/incidents" + query.text, accepting: [200]),
            let list = try? JSONValue(reading: answer.body), list["incidents"]?.elements != nil
        else { return nil }
        return list
    }

    /// The newest lines of `reachd watch`, of the events that the service remembers.
    private func lastEvents(
        _ client: ServiceClient,
        _ status: JSONValue,
        hasIncidents: Bool,
        _ terminal: Terminal
    ) -> [String] {
        let now = status["generated_at"]?.moment ?? SystemWallClock().now()
        let line = WatchLine(terminal: terminal, now: { now })
        let digest: any EventDigest = hasIncidents ? IncidentDigest(line: line) : StateDigest(line: line)
        let lines = RecentEvents(client, hasIncidents: hasIncidents, scope: scope).lines(status, digest)
            .suffix(Self.shownEvents)
        return lines.isEmpty ? [] : ["", terminal.paint("LAST EVENTS", .bold)] + lines.flatMap(\.self)
    }

    private func conditions() throws -> [String] {
        let known = FailCondition.allCases.map(\.rawValue)
        // An empty condition, perhaps from an unset variable, would never fail.
        let words = failOn.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        return try words.map { word in
            guard !known.contains(word) else { return word }
            let hint = NearestName.of(word, among: known).map { "; did you mean \($0)?" } ?? ""
            throw ValidationError(
                "--fail-on takes \(known.joined(separator: ", ")), not '\(TerminalText.safe(word))'\(hint)"
            )
        }
    }
}
