// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Something that goes on and is not history: it has no number, is not kept, and what it tells is in the records anyway.
package struct LiveEvent: Sendable {
    /// What it tells.
    package enum Content: Sendable {
        /// A probe ended: the record after it.
        case result(StatusRecord, ProbeReport)
        /// Probes began or ended to run.
        case activity(ActivityStatus)
    }

    /// When it was told.
    package let at: Timestamp
    /// What it tells.
    package let content: Content
}
