// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths

/// The service-level verdict on a target; raw values are the HTTP contract's.
package enum TargetState: String, Sendable, Hashable, CaseIterable {
    /// Not judged yet, or the kernel refused to answer.
    case unknown
    /// It answers; without a probe: packets can leave for it.
    case up
    /// It answers, not as it should.
    case degraded
    /// It does not answer.
    case down
    /// It cannot be judged from here: no path. Counts neither as up nor as down.
    case unreachable
    /// Paused by a user.
    case paused
    /// It is in a declared maintenance.
    case maintenance

    /// The state of a target that has no probe: the path's word is the last one.
    ///
    /// - Parameter path: the last verdict, nil before the first one.
    package init(path: NetworkPath?) {
        guard let path else {
            self = .unknown
            return
        }
        switch path.reachability {
        case .unknown: self = .unknown
        case .notReachable: self = .unreachable
        case .reachableViaWWAN, .reachableViaWiFi: self = .up
        }
    }

    /// Whether a load balancer should use the target.
    package var isHealthy: Bool { self == .up || self == .degraded }
}
