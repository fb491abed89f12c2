// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

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
