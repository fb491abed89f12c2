// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What ``TargetEditing/put(_:_:if:)`` did.
public struct PutTarget: Sendable {
    /// What is known of the target.
    public let record: StatusRecord
    /// Whether there was none before.
    public let isNew: Bool

    /// Creates a value.
    public init(record: StatusRecord, isNew: Bool) {
        self.record = record
        self.isNew = isNew
    }
}
