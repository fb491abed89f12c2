// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What ``TargetEditing/add(_:)`` added.
package struct AddedTargets: Sendable {
    /// What is known of each, in the order of the body.
    package let records: [StatusRecord]
    /// Whether the body was a list of targets.
    package let isBatch: Bool

    /// Collects records.
    package init(records: [StatusRecord], isBatch: Bool) {
        self.records = records
        self.isBatch = isBatch
    }
}
