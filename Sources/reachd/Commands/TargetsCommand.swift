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
        abstract: "List targets with state, duration, latency and reason.",
        discussion: """
            Queries a running service. With --json prints its answer to GET /targets unchanged: at most 10,000 targets, with \
            `next` when there are more. The table is cut to the width of the terminal or of COLUMNS; in a pipe it is not cut.

            Exit status: 0 success, 2 usage, 69 no answer, 76 the server is not reachd, 77 a token is required, 78 invalid \
            configuration.

            Examples:
              reachd targets --state down --state unreachable
              reachd targets --group lan -q printer
              reachd targets --json --tag site:b | jq '.targets[].id'
            """
    )

    @OptionGroup
    var filter: TargetFilterOptions

    @Flag(help: "Print only the ids, one per line.")
    var ids = false

    @OptionGroup
    var scope: ScopeOptions

    @OptionGroup
    var output: OutputOptions

    @OptionGroup
    var service: ServiceOptions

    func validate() throws {
        guard !ids || !output.json else { throw ValidationError("Use either --ids or --json.") }
    }

    func run() throws {
        let client = try service.client()
        if output.json {
            var query = URLQuery()
            filter.add(to: &query)
            scope.add(to: &query)
            query.add("limit", "\(ServiceClient.pageSize)")
            return StandardStream.output.write(json: try client.document("/targets" + query.text).answer.body)
        }
        var query = URLQuery()
        filter.add(to: &query)
        scope.add(to: &query)
        var rows = TargetRows()
        try TargetPages(client).read(query, fields: ids ? "id" : TargetRows.fields) { page in
            if ids {
                // Shells evaluate completions, so only valid ids are printed, whichever server answered.
                let names = (page["targets"]?.elements ?? []).compactMap { $0["id"]?.text }.filter(TargetID.isValid)
                if !names.isEmpty { StandardStream.output.write(line: names.joined(separator: "\n")) }
            } else {
                rows.add(page)
            }
        }
        guard !ids else { return }
        guard !rows.isEmpty else {
            return StandardStream.error.write(line: "no targets match")
        }
        StandardStream.output.write(line: rows.lines(on: output.terminal).joined(separator: "\n"))
    }
}
