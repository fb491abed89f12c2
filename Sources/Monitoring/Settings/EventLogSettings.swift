// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How much the in-memory event log keeps.
package struct EventLogSettings: Sendable, Hashable {
    /// Events kept at most.
    package var capacity: Int = 65_536
    /// Bytes of memory that the kept events may take at most, estimated.
    package var maximumBytes: Int = 64 << 20

    /// The defaults.
    package init() {}
}
