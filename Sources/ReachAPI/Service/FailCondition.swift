// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// What makes `/status` answer 503 when a client asks it to; raw values are what `fail_on` takes.
package enum FailCondition: String, CaseIterable {
    case down, unreachable, degraded, unknown, network

    func holds(for entry: StatusCache.Entry) -> Bool {
        switch self {
        case .down: entry.occupied.contains(.down)
        case .unreachable: entry.occupied.contains(.unreachable)
        case .degraded: entry.occupied.contains(.degraded)
        case .unknown: entry.occupied.contains(.unknown)
        case .network: !entry.isNetworkReachable
        }
    }
}
