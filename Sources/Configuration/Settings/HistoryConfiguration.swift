// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import History

/// Whether and where the event log is kept over a restart, and how.
package struct HistoryConfiguration: Sendable, Hashable {
    /// Whether it is.
    package var isEnabled = true
    /// The file; nil for wherever the service may keep its state.
    package var path: String?
    /// How.
    package var settings = HistorySettings()
    /// How long the minutes, hours and days of targets are kept.
    package var rollups = RollupSettings()
}
