// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import NetworkPaths

/// What a manager needs of the system handle that it watches.
///
/// The manager makes these calls one at a time; handler calls come on the scheduled queue.
protocol ReachabilityTarget: Sendable {
    /// The last known flags while scheduled, a fresh evaluation otherwise; nil when the query fails (R12, R13).
    func currentFlags() -> SCNetworkReachabilityFlags?

    /// Replaces what is called with new flags.
    func setHandler(_ handler: @escaping @Sendable (SCNetworkReachabilityFlags) -> Void)

    /// Begins to call the handler on `queue`.
    func schedule(on queue: DispatchQueue)

    /// Ends that; nothing happens when not scheduled (R24).
    func unschedule()
}
