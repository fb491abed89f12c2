// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The windows that uptime is told of; raw values are the HTTP contract's.
enum UptimeWindow: String, CaseIterable {
    case hour = "1h"
    case day = "24h"
    case week = "7d"
    case month = "30d"

    var length: Duration {
        switch self {
        case .hour: .seconds(3_600)
        case .day: .seconds(86_400)
        case .week: .seconds(7 * 86_400)
        case .month: .seconds(30 * 86_400)
        }
    }
}
