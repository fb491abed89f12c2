// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What ``TargetEditing/put(_:_:if:)`` did.
package struct PutTarget: Sendable {
    /// What is known of the target.
    package let record: StatusRecord
    /// Whether there was none before.
    package let isNew: Bool

    /// Creates a value.
    package init(record: StatusRecord, isNew: Bool) {
        self.record = record
        self.isNew = isNew
    }
}
