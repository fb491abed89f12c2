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
        abstract: "Show this machine's network, targets by state, and targets that are not up.",
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
            var lines = StatusReport(status, place: client.place).lines(on: terminal)
            let isWell = ["down", "unreachable", "degraded", "unknown"].allSatisfy { state in
                (status["summary", state]?.integer ?? 0) == 0
            }
            if !isWell, status["summary"] != nil { lines += try problems(client, terminal) }
            StandardStream.output.write(line: lines.joined(separator: "\n"))
        }
        if answer.status == 503 { throw ExitStatus.negative }
    }

    /// The targets that are not up.
    private func problems(_ client: ServiceClient, _ terminal: Terminal) throws -> [String] {
        var query = URLQuery()
        scope.add(to: &query)
        query.add("state", each: ["down", "unreachable", "degraded", "unknown"])
        query.add("limit", "\(Self.listed)")
        query.add("fields", TargetRows.fields)
        let list = try client.document("/targets" + query.text).document
        var rows = TargetRows()
        // A push target without a cause still has time to send its heartbeat.
        rows.add(list) { $0["state"]?.text != TargetState.unknown.rawValue || $0["cause"] != nil }
        guard !rows.isEmpty else { return [] }
        let rest = max(list["total"]?.integer ?? 0, 0) - (list["targets"]?.elements?.count ?? 0)
        return [""] + rows.lines(on: terminal) + (rest > 0 ? ["and \(rest) more: reachd targets"] : [])
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
