// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The members of a target's body, in the order in which they are written; raw values are what `fields` takes.
package enum TargetField: String, Sendable, CaseIterable {
    case id, name, kind
    case hideAddress = "hide_address"
    case host, address
    case localAddress = "local_address"
    case boundInterface = "bound_interface"
    case family, mark
    case nameJudgement = "name_judgement"
    case port, group, tags
    case dependsOn = "depends_on"
    case probe, origin, persisted
    case status
    case statusCode = "status_code"
    case reachable
    case reachableViaWWAN = "reachable_via_wwan"
    case reachableViaWiFi = "reachable_via_wifi"
    case flags, path, resolution, state, reason, cause, pending
    case isFlapping = "is_flapping"
    case lastResult = "last_result"
    case since, sequence
}

/// Which members of a target a client wants; the id is always among them.
package struct FieldSelection: Sendable, Hashable {
    /// Nil: all members.
    private let fields: Set<TargetField>?

    /// All members.
    package static let all = FieldSelection(fields: nil)

    private init(fields: Set<TargetField>?) {
        self.fields = fields
    }

    package init(_ fields: [TargetField]) {
        self.fields = Set(fields).union([.id])
    }

    package func contains(_ field: TargetField) -> Bool { fields?.contains(field) ?? true }
}
