// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
import Schema

/// The differences between two configurations.
package struct ConfigurationDifference: Sendable, Hashable {
    /// Added targets.
    package let added: [TargetSettings]
    /// The ids of removed targets.
    package let removed: [String]
    /// Changed targets.
    package let updated: [TargetSettings]
    /// All other changed settings.
    package let settings: [SettingChange]

    /// Compares two configurations. Equal targets are not listed, whatever their order.
    package init(from old: ReachdConfiguration, to new: ReachdConfiguration) {
        let before = Dictionary(old.targets.map { ($0.id, $0) }) { first, _ in first }
        let after = Set(new.targets.map(\.id))
        added = new.targets.filter { before[$0.id] == nil }
        removed = old.targets.map(\.id).filter { !after.contains($0) }
        updated = new.targets.filter { target in before[target.id].map { $0 != target } ?? false }
        settings = SettingChange.all.filter { $0.differs(old, new) }.map(\.change)
    }

    /// Whether both are equal.
    package var isEmpty: Bool { added.isEmpty && removed.isEmpty && updated.isEmpty && settings.isEmpty }

    /// The changed settings that need a restart.
    package var needsRestart: [SettingChange] { settings.filter(\.needsRestart) }
}

/// A changed setting.
package struct SettingChange: Sendable, Hashable {
    /// The dotted key: `log.level`.
    package let key: String
    /// Whether it takes effect only at the next start.
    package let needsRestart: Bool

    /// A compared key.
    struct Comparison: Sendable {
        let change: SettingChange
        let differs: @Sendable (ReachdConfiguration, ReachdConfiguration) -> Bool
    }

    /// Every key of the file except `targets`, whose changes are listed one by one.
    static let all = ConfigurationSchema.settings.compared(by: ReachdConfiguration()).compactMap { key, setting in
        setting.differs.map {
            Comparison(change: SettingChange(key: key, needsRestart: setting.needsRestart), differs: $0)
        }
    }
}
