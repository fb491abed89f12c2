// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import BlockingHTTP
import JSON
import ReachAPI

/// `reachd targets`
struct TargetsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "targets",
        abstract: "Lists targets with their states, since when, and why.",
        discussion: """
            Asks a running service. With --json its answer to GET /targets is printed as it is, with 10,000 targets at most \
            and `next` when there are more. The table is as wide as the terminal, or as COLUMNS says; elsewhere nothing is \
            cut.

            Exit status: 0 answered, 2 usage, 69 nobody answers, 76 what answers is not reachd, 77 a token is wanted, 78 \
            faults in the configuration.

            Examples:
              reachd targets --state down --state unreachable
              reachd targets --group lan -q printer
              reachd targets --json --tag site:b | jq '.targets[].id'
            """
    )

    @OptionGroup
    var filter: TargetFilterOptions

    @Flag(help: "Print the ids alone, one a line.")
    var ids = false

    @OptionGroup
    var output: OutputOptions

    @OptionGroup
    var service: ServiceOptions

    func validate() throws {
        guard !ids || !output.json else { throw ValidationError("Either --ids or --json.") }
    }

    func run() throws {
        let client = try service.client()
        if output.json {
            var query = URLQuery()
            filter.add(to: &query)
            query.add("limit", "\(ServiceClient.pageSize)")
            return StandardStream.output.write(json: try client.document("/targets" + query.text).answer.body)
        }
        var query = URLQuery()
        filter.add(to: &query)
        var rows = TargetRows()
        try TargetPages(client).read(query, fields: ids ? "id" : TargetRows.fields) { page in
            if ids {
                // Shells evaluate what completes a word: only what can be an id goes there, whoever answered.
                let names = (page["targets"]?.elements ?? []).compactMap { $0["id"]?.text }.filter(TargetID.isValid)
                if !names.isEmpty { StandardStream.output.write(line: names.joined(separator: "\n")) }
            } else {
                rows.add(page)
            }
        }
        guard !ids else { return }
        guard !rows.isEmpty else {
            return StandardStream.error.write(line: "no target is like that")
        }
        StandardStream.output.write(line: rows.lines(on: output.terminal).joined(separator: "\n"))
    }
}
