// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import BlockingHTTP
import JSON
import LinuxIO
import Schema

/// `reachd explain`
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain why a target is in its state: reason, fault, evidence, last changes, what to do.",
        discussion: """
            Queries a running service. With --json prints its answer to GET /targets/ID unchanged.

            Exit status: 0 success, 2 usage or unknown target, 69 no answer, 76 the server is not reachd, 77 a token is \
            required, 78 invalid configuration.

            Examples:
              reachd explain default-ipv4
              reachd explain --json nas
            """
    )

    @Argument(
        help: ArgumentHelp("The target.", valueName: "id"),
        completion: .targets
    )
    var id: String

    @Flag(name: .shortAndLong, help: "Also show codes, rules, flags and the number of the last event.")
    var verbose = false

    @OptionGroup
    var scope: ScopeOptions

    @OptionGroup
    var output: OutputOptions

    @OptionGroup
    var service: ServiceOptions

    func validate() throws {
        guard !id.isEmpty else { throw ValidationError("The id is empty.") }
    }

    func run() throws {
        let client = try service.client()
        let (target, answer) = try client.document(
            "/targets/" + URLText.escaped(id) + scope.text,
            accepting: [200, 400, 404]
        )
        guard answer.status == 200 else {
            if answer.status == 404, target["type"]?.text != "urn:reachd:problem:unknown_target" {
                throw client.complain(answer)
            }
            throw CommandError.report("unknown target \(id)\(try client.hint(near: id))", .usage)
        }
        guard let state = target["state"]?.words else {
            throw CommandError.report("\(client.place) does not answer like reachd; check --url", .protocolFault)
        }
        if output.json { return StandardStream.output.write(json: answer.body) }
        let parents = try (target["depends_on"]?.elements ?? []).prefix(16).compactMap {
            parent -> (String, JSONValue)? in
            guard let id = parent.text else { return nil }
            let (body, answer) = try client.document(
                "/targets/" + URLText.escaped(id) + scope.text,
                accepting: [200, 404]
            )
            return answer.status == 200 ? (id, body) : nil
        }
        let now = try client.document("/status").document["generated_at"]?.moment
        var query = URLQuery()
        // Changes of the reason alone are not shown.
        query.add("limit", "\(4 * ExplanationReport.changes)")
        scope.add(to: &query)
        let history = document(client, "/targets/" + URLText.escaped(id) + "/history" + query.text)
        let report = ExplanationReport(
            target,
            state: state,
            parents: parents,
            history: history,
            incidents: incidents(client, target),
            now: now,
            verbose: verbose
        )
        StandardStream.output.write(line: report.lines(on: output.terminal).joined(separator: "\n"))
    }

    /// The open incidents that it is in; nil from an older service.
    private func incidents(_ client: ServiceClient, _ target: JSONValue) -> JSONValue? {
        var query = URLQuery()
        query.add("state", "open")
        query.add("target", id)
        query.add("limit", "4")
        scope.add(to: &query)
        return document(client, "/incidents" + query.text)
    }

    /// What not every service has.
    private func document(_ client: ServiceClient, _ path: String) -> JSONValue? {
        guard let answer = try? client.ask(path, accepting: [200]) else { return nil }
        return try? JSONValue(reading: answer.body)
    }
}
