// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
public import Monitoring

extension TargetState: ExpressibleByArgument {}

/// Which targets, as the HTTP interface filters them.
struct TargetFilterOptions: ParsableArguments {
    @Option(help: "Only targets in this state; may be repeated.")
    var state: [TargetState] = []

    @Option(help: ArgumentHelp("Only targets of this group; may be repeated.", valueName: "name"))
    var group: [String] = []

    @Option(
        help: ArgumentHelp("Only targets with this tag; may be repeated, all must be there.", valueName: "name:value")
    )
    var tag: [String] = []

    @Option(
        name: [.customShort("q"), .customLong("query")],
        help: ArgumentHelp("Only targets with this in their id, name, host or address.", valueName: "text")
    )
    var query: String?

    func add(to query: inout URLQuery) {
        query.add("state", each: state.map(\.rawValue))
        query.add("group", each: group)
        query.add("tag", each: tag)
        if let text = self.query { query.add("q", text) }
    }
}
