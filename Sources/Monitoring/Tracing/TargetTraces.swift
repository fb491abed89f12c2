// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
package import Probing

/// A trace with its time.
package struct TargetTrace: Sendable, Hashable {
    /// The result.
    package let result: TraceResult
    /// When it ended.
    package let at: Timestamp

    /// Creates a trace.
    package init(_ result: TraceResult, at: Timestamp) {
        self.result = result
        self.at = at
    }
}

/// The traces of one target: the last one, and the last one that the target answered. Pure.
package struct TargetTraces: Sendable, Hashable {
    /// The last trace.
    package private(set) var latest: TargetTrace?
    /// The last trace that the target answered, to the address of ``latest``.
    package private(set) var good: TargetTrace?
    /// The route of good traces, once changes of it are reported.
    private(set) var route: KnownRoute?

    /// Creates an empty record.
    package init() {}

    /// The difference between the last trace and the last good one; nil without both.
    package var comparison: TraceComparison? {
        guard let latest, let good, good != latest else { return nil }
        return TraceComparison(good: good.result, failed: latest.result)
    }

    /// Stores a trace.
    ///
    /// - Parameter comparesRoutes: Whether changes of the route are reported.
    /// - Returns: The change of the route that the trace confirms.
    @discardableResult
    package mutating func store(_ trace: TargetTrace, comparesRoutes: Bool = false) -> RouteChange? {
        if good?.result.request.destination != trace.result.request.destination {
            good = nil
            route = nil
        }
        latest = trace
        guard trace.result.isAnswered else { return nil }
        good = trace
        guard comparesRoutes else { return nil }
        if route == nil { route = KnownRoute(trace.result) }
        return route?.take(trace.result)
    }
}
