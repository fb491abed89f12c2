// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A handle to a target inside one ``PathEngine``; never reused within its life.
public struct PathID: Sendable, Hashable {
    /// The number behind the handle.
    public let rawValue: UInt32

    /// Creates a handle from its number; only the engine makes valid ones.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}
