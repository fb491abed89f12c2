// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One declaration of a target, shared by every record and event that speaks of it.
package final class DeclaredTarget: Sendable {
    /// What somebody declared.
    package let settings: TargetSettings
    /// The target's place in every list; grows with each target that is added, is never reused in a run,
    /// and survives a change of the settings.
    package let ordinal: UInt64
    /// Every record with this declaration has this ``StatusRecord/version`` or a later one, every record before it an
    /// earlier one.
    package let version: UInt64

    init(settings: TargetSettings, ordinal: UInt64, version: UInt64) {
        self.settings = settings
        self.ordinal = ordinal
        self.version = version
    }
}
