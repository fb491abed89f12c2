// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import NetworkPaths

/// The target of a shared manager whose handle the system refused: each query fails, so the status stays unknown (R12).
struct UnavailableTarget: ReachabilityTarget {
    func currentFlags() -> SCNetworkReachabilityFlags? { nil }
    func setHandler(_ handler: @escaping @Sendable (SCNetworkReachabilityFlags) -> Void) {}
    func schedule(on queue: DispatchQueue) {}
    func unschedule() {}
}
