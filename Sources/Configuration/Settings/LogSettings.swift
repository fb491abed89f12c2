// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// What is logged, and how.
package struct LogSettings: Sendable, Hashable {
    /// How a line looks.
    package enum Format: String, Sendable, Hashable {
        /// `time level message key=value`
        case text
        /// One object a line.
        case json
    }

    /// The least that is logged, one of swift-log's levels by name.
    package var level = "info"
    /// How a line looks.
    package var format = Format.text
}

extension LogSettings.Format: SettingValue {}
