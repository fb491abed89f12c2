// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Something that goes on and is not history: it has no number, is not kept, and what it tells is in the records anyway.
public struct LiveEvent: Sendable {
    /// What it tells.
    public enum Content: Sendable {
        /// A probe ended: the record after it.
        case result(StatusRecord, ProbeReport)
        /// Probes began or ended to run.
        case activity(ActivityStatus)
    }

    /// When it was told.
    public let at: Timestamp
    /// What it tells.
    public let content: Content
}
