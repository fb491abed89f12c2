// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A probe that is to start now.
public struct ProbeStart<ID: Hashable & Sendable>: Sendable, Hashable {
    /// Whose.
    public let id: ID
    /// When it was due, in monotonic nanoseconds.
    public let due: UInt64
    /// How much too late it is, in nanoseconds.
    public let lag: UInt64
}
