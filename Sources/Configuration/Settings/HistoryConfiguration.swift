// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import History

/// Whether and where the event log is kept over a restart, and how.
public struct HistoryConfiguration: Sendable, Hashable {
    /// Whether it is.
    public let isEnabled: Bool
    /// The file; nil for wherever the service may keep its state.
    public let path: String?
    /// How.
    public let settings: HistorySettings
    /// How long the minutes, hours and days of targets are kept.
    public let rollups: RollupSettings
}
