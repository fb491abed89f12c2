// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What ``TargetEditing/add(_:)`` added.
public struct AddedTargets: Sendable {
    /// What is known of each, in the order of the body.
    public let records: [StatusRecord]
    /// Whether the body was a list of targets.
    public let isBatch: Bool

    /// Collects records.
    public init(records: [StatusRecord], isBatch: Bool) {
        self.records = records
        self.isBatch = isBatch
    }
}
