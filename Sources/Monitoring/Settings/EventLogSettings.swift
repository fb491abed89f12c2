// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How much the in-memory event log keeps.
public struct EventLogSettings: Sendable, Hashable {
    /// Events kept at most.
    public var capacity: Int = 65_536
    /// Bytes of memory that the kept events may take at most, estimated.
    public var maximumBytes: Int = 64 << 20

    /// The defaults.
    public init() {}
}
