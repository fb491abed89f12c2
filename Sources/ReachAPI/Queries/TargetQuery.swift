// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths

/// The query of `GET /targets`.
struct TargetQuery: Equatable {
    /// The maximum number of targets in one answer.
    static let maximumLimit = 10_000
    static let defaultLimit = 100

    var filter = TargetFilter()
    var limit = TargetQuery.defaultLimit
    /// The ordinal after which the list begins.
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
                reader.fault("cursor", "It is not a cursor of this list; start again without it.")
            }
        }
    }
}

/// Where a list continues: after the target with an ordinal, in one run of the registry.
struct TargetCursor: Hashable {
    /// The run of a fleet's ordinals, which are never used again.
    static let fleetRun = "fleet"

    let run: String
    let ordinal: UInt64

    init(run: String, ordinal: UInt64) {
        self.run = run
        self.ordinal = ordinal
    }

    init?(parsing text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count <= 16, let ordinal = UInt64(parts[1], radix: 16) else { return nil }
        self.init(run: String(parts[0]), ordinal: ordinal)
    }

    var text: String { "\(run).\(String(ordinal, radix: 16))" }
}
