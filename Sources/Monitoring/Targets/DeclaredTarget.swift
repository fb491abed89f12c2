// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One declaration of a target, shared by every record and event that speaks of it.
public final class DeclaredTarget: Sendable {
    /// What somebody declared.
    public let settings: TargetSettings
    /// The target's place in every list; grows with each target that is added, is never reused in a run,
    /// and survives a change of the settings.
    public let ordinal: UInt64

    init(settings: TargetSettings, ordinal: UInt64) {
        self.settings = settings
        self.ordinal = ordinal
    }
}
