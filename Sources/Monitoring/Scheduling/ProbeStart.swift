// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A probe that is to start now.
public struct ProbeStart: Sendable, Hashable {
    /// Whose: what ``StartQueue/schedule(_:due:address:)`` was told.
    public let id: UInt64
    /// When it was due, in monotonic nanoseconds.
    public let due: UInt64
    /// How much too late it is, in nanoseconds.
    public let lag: UInt64
}
