// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
import Schema

/// What has to be done to go from one configuration to another.
package struct ConfigurationDifference: Sendable, Hashable {
    /// Targets that are new.
    package let added: [TargetSettings]
    /// The ids of targets that are gone.
    package let removed: [String]
    /// Targets that have other settings than before.
    package let updated: [TargetSettings]
    /// Everything else that is different.
    package let settings: [SettingChange]

    /// Compares two configurations. Targets that are the same in both are mentioned nowhere, whatever their order.
    package init(from old: ReachdConfiguration, to new: ReachdConfiguration) {
        let before = Dictionary(old.targets.map { ($0.id, $0) }) { first, _ in first }
        let after = Set(new.targets.map(\.id))
        added = new.targets.filter { before[$0.id] == nil }
        removed = old.targets.map(\.id).filter { !after.contains($0) }
        updated = new.targets.filter { target in before[target.id].map { $0 != target } ?? false }
        settings = SettingChange.all.filter { $0.differs(old, new) }.map(\.change)
    }

    /// Whether both are the same.
    package var isEmpty: Bool { added.isEmpty && removed.isEmpty && updated.isEmpty && settings.isEmpty }

    /// The changed settings that wait for a restart.
    package var needsRestart: [SettingChange] { settings.filter(\.needsRestart) }
}

/// A setting that is different from before.
package struct SettingChange: Sendable, Hashable {
    /// The dotted key: `log.level`.
    package let key: String
    /// Whether it is taken only when the service starts.
    package let needsRestart: Bool

    /// A key by which two configurations are compared.
    struct Comparison: Sendable {
        let change: SettingChange
        let differs: @Sendable (ReachdConfiguration, ReachdConfiguration) -> Bool
    }

    /// Every key of the file but `targets`, whose changes are told one by one.
    static let all = ConfigurationSchema.settings.compared(by: ReachdConfiguration()).compactMap { key, setting in
        setting.differs.map {
            Comparison(change: SettingChange(key: key, needsRestart: setting.needsRestart), differs: $0)
        }
    }
}
