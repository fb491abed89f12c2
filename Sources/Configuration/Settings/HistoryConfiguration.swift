// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import History

/// Whether and where the event log is kept over a restart, and how.
package struct HistoryConfiguration: Sendable, Hashable {
    /// Whether it is.
    package let isEnabled: Bool
    /// The file; nil for wherever the service may keep its state.
    package let path: String?
    /// How.
    package let settings: HistorySettings
    /// How long the minutes, hours and days of targets are kept.
    package let rollups: RollupSettings
}
