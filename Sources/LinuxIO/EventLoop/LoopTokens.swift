// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A watch on a descriptor.
public struct WatchToken: Sendable, Hashable {
    let number: UInt64
    let descriptor: Int32
}

/// A timer that has not fired yet, or has.
public struct TimerToken: Sendable, Hashable {
    let number: UInt64
}
