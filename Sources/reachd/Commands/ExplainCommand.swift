// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import BlockingHTTP
import JSON
import Schema

/// `reachd explain`
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Says why a target is in its state: evidence, path, rule, thresholds.",
        discussion: """
            Asks a running service. With --json its answer to GET /targets/ID is printed as it is.

            Exit status: 0 answered, 2 usage or no such target, 69 nobody answers, 76 what answers is not reachd, 77 a token \
            is wanted, 78 faults in the configuration.

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

    @OptionGroup
    var output: OutputOptions

    @OptionGroup
    var service: ServiceOptions

    func validate() throws {
        guard !id.isEmpty else { throw ValidationError("An id is missing: it is empty.") }
    }

    func run() throws {
        let client = try service.client()
        let (target, answer) = try client.document("/targets/" + URLQuery.encode(id), accepting: [200, 400, 404])
        guard answer.status == 200 else {
            if answer.status == 404, target["type"]?.text != "urn:reachd:problem:unknown_target" {
                throw client.complain(answer)
            }
            throw CommandError.report("there is no target \(id)\(try client.hint(near: id))", .usage)
        }
        guard let state = target["state"]?.words else {
            throw CommandError.report("what \(client.place) answers is not reachd's", .protocolFault)
        }
        if output.json { return StandardStream.output.write(json: answer.body) }
        let parents = try (target["depends_on"]?.elements ?? []).prefix(16).compactMap {
            parent -> (String, JSONValue)? in
            guard let id = parent.text else { return nil }
            let (body, answer) = try client.document("/targets/" + URLQuery.encode(id), accepting: [200, 404])
            return answer.status == 200 ? (id, body) : nil
        }
        let now = try client.document("/status").document["generated_at"]?.moment
        let report = ExplanationReport(target, state: state, parents: parents, now: now)
        StandardStream.output.write(line: report.lines(on: output.terminal).joined(separator: "\n"))
    }
}
