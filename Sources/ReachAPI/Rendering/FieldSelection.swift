// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Which members of a target a client wants; the id is always among them.
struct FieldSelection: Hashable {
    /// Nil: all members.
    private let fields: Set<TargetField>?

    /// All members.
    static let all = FieldSelection(fields: nil)

    private init(fields: Set<TargetField>?) {
        self.fields = fields
    }

    init(_ fields: [TargetField]) {
        self.fields = Set(fields).union([.id])
    }

    func contains(_ field: TargetField) -> Bool { fields?.contains(field) ?? true }
}
