// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Who has what is measured and not written yet.
package protocol RollupSource: Sendable {
    /// How long buckets are kept.
    var settings: RollupSettings { get }
    /// How writing goes. Any thread; waits for no disk.
    var status: RollupStatus { get }

    /// All that is not written of a target, the minute that goes on last. Any thread; waits for no disk.
    ///
    /// - Parameters:
    ///   - ordinal: the target's place in the registry.
    ///   - target: its id.
    func unwritten(_ ordinal: UInt64, target: String) -> [RollupPiece]
}
