// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Changes of a target about which there were too many messages: the last one is told, with the number of the others.
struct WithheldChanges: Sendable {
    var last: StateChange
    /// Changes before the last.
    var leftOut: Int
    var covers: SequenceSet
    /// When the last one may be told.
    let deadline: UInt64
    /// The same, in milliseconds since 1970.
    let earliest: Int64

    /// Changes of so many targets are held back; those of others are told at once.
    static let limit = 1_000
}
