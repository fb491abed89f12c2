// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Monitoring

/// What has to be done to go from one configuration to another.
public struct ConfigurationDifference: Sendable, Hashable {
    /// Targets that are new.
    public let added: [TargetSettings]
    /// The ids of targets that are gone.
    public let removed: [String]
    /// Targets that have other settings than before.
    public let updated: [TargetSettings]
    /// Everything else that is different.
    public let settings: [SettingChange]

    /// Compares two configurations. Targets that are the same in both are mentioned nowhere, whatever their order.
    public init(from old: ReachdConfiguration, to new: ReachdConfiguration) {
        let before = Dictionary(old.targets.map { ($0.id, $0) }) { first, _ in first }
        let after = Set(new.targets.map(\.id))
        added = new.targets.filter { before[$0.id] == nil }
        removed = old.targets.map(\.id).filter { !after.contains($0) }
        updated = new.targets.filter { target in before[target.id].map { $0 != target } ?? false }
        settings = SettingChange.all.filter { $0.differs(old, new) }.map(\.change)
    }

    /// Whether both are the same.
    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && updated.isEmpty && settings.isEmpty }

    /// The changed settings that wait for a restart.
    public var needsRestart: [SettingChange] { settings.filter(\.needsRestart) }
}
