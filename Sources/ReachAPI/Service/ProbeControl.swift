// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
package import Probing

/// Who runs the probes, as far as the interface needs it. Any thread's to call.
package protocol ProbeControl: AnyObject, Sendable {
    /// The activity indicator.
    var activity: ActivityStatus { get }
    /// How the schedule is kept; must not wait for anybody.
    var statistics: ProbingStatistics { get }
    /// Probes a target now.
    ///
    /// - Parameter completion: called once, on any thread, possibly from inside this call; with nil when there was no result.
    func probe(_ id: String, completion: @escaping @Sendable (ProbeReport?) -> Void)
    /// Asks somebody who is no target; completion as for ``probe(_:completion:)``.
    func ask(_ request: ProbeRequest, completion: @escaping @Sendable (ProbeResult?) -> Void)
    /// Takes a target's heartbeat; completion as for ``probe(_:completion:)``.
    func heartbeat(_ id: String, _ result: ProbeResult, completion: @escaping @Sendable (ProbeReport?) -> Void)
}

extension ProbeMonitor: ProbeControl {}
