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
              reachd targets -o wide --sort state
              reachd targets --json --tag site:b | jq '.targets[].id'
            """
    )

    @OptionGroup
    var filter: TargetFilterOptions

    /// The forms of the list.
    enum Form: String, CaseIterable, ExpressibleByArgument {
        case table, wide, name, json
    }

    @Flag(help: "Print only the ids, one per line, like -o name.")
    var ids = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "The form: a table; wide with address, probe, the last probe's age and origin; name for ids; json.",
            valueName: "form"
        )
    )
    var form: Form = .table

    @Option(
        help: ArgumentHelp(
            "The order of the table or ids: state (what fails first), name, group, latency (slowest first), since.",
            discussion: "Default: as declared.",
            valueName: "order"
        )
    )
    var sort: TargetRows.Order?

    @OptionGroup
    var scope: ScopeOptions

    @OptionGroup
    var output: OutputOptions

    @OptionGroup
    var service: ServiceOptions

    private var isJSON: Bool { output.json || form == .json }
    private var isIDs: Bool { ids || form == .name }

    func validate() throws {
        guard !ids || !output.json else { throw ValidationError("Use either --ids or --json.") }
        guard form == .table || !ids && !output.json else {
            throw ValidationError("Use either --output, --ids or --json.")
        }
        guard sort == nil || !isJSON else { throw ValidationError("--sort has no effect on JSON.") }
    }

    func run() throws {
        let client = try service.client()
        var query = URLQuery()
        filter.add(to: &query)
        scope.add(to: &query)
        if isJSON {
            query.add("limit", "\(ServiceClient.pageSize)")
            return StandardStream.output.write(json: try client.document("/targets" + query.text).answer.body)
        }
        var rows = TargetRows(isWide: form == .wide, order: sort)
        let fields = form == .wide ? TargetRows.wideFields : isIDs && sort == nil ? "id" : TargetRows.fields
        try TargetPages(client).read(query, fields: fields) { page in rows.add(page) }
        if isIDs {
            // Shells evaluate completions, so only valid ids are printed, whichever server answered.
            let ids = rows.ids.filter(TargetID.isValid)
            if !ids.isEmpty { StandardStream.output.write(line: ids.joined(separator: "\n")) }
            return
        }
        guard !rows.isEmpty else {
            return StandardStream.error.write(line: "no targets match")
        }
        StandardStream.output.write(line: rows.lines(on: output.terminal).joined(separator: "\n"))
    }
}

extension TargetRows.Order: ExpressibleByArgument {}
