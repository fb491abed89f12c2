// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Traffic

/// What observes this machine's connections to targets. From any thread.
package protocol TrafficSource: AnyObject {
    /// Watches targets at their endpoints, or (nil) no longer.
    func update(_ changes: [String: [TrafficEndpoint]?])
    /// The sums and the newest evidence of a target; nil when it is not watched.
    func summary(of id: String) -> TrafficSummary?
    /// Counts the connections of a target that hang at present, for its summary.
    func noteHangingConnections(of id: String)
}

extension TrafficObserver: TrafficSource {}

/// Whose connections are observed.
package enum TrafficObservation: String, Sendable, Hashable, CaseIterable {
    /// Those to and from targets.
    case targets
    /// None.
    case off
}

/// Whether this machine's connections are observed at present.
package enum TrafficStatus: Sendable {
    /// The configuration turned it off.
    case off
    /// They are.
    case observing(TrafficStatistics)
    /// The kernel or a sandbox does not let reachd observe them.
    case unavailable(TrafficError)

    /// Why they cannot be observed; nil when they are, and when it is off.
    package var error: TrafficError? {
        if case .unavailable(let error) = self { error } else { nil }
    }
}
