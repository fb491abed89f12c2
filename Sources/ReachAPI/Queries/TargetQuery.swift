// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths

/// What `GET /targets` was asked for.
struct TargetQuery: Equatable {
    /// The longest list in one answer.
    static let maximumLimit = 10_000
    static let defaultLimit = 100

    var filter = TargetFilter()
    var limit = TargetQuery.defaultLimit
    /// The ordinal behind which the list begins.
    var after: UInt64 = 0
    var fields = FieldSelection.all

    init(_ reader: inout QueryReader, run: String) {
        filter.states = reader.cases("state", as: TargetState.self)
        filter.statuses = reader.cases("status", among: ReachabilityStatus.allCases.map { ($0.name, $0) })
        filter.tags = reader.tags("tag")
        filter.groups = reader.all("group")
        filter.text = reader.one("q") ?? ""
        limit = reader.integer("limit", in: 1...Self.maximumLimit, default: Self.defaultLimit)
        let names = reader.cases("fields", as: TargetField.self)
        if reader.isGiven("fields") { fields = FieldSelection(names) }
        if let text = reader.one("cursor") {
            if let cursor = TargetCursor(parsing: text), cursor.run == run {
                after = cursor.ordinal
            } else {
                reader.fault("cursor", "It is not a cursor of this run of reachd; begin again without it.")
            }
        }
    }
}
