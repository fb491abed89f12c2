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

    /// Returns the diagnosis of a target that does not answer, as far as the last trace shows that the fault is on the path.
    ///
    /// A trace that ends at the last router before the target proves nothing: the target itself may be silent. Without a
    /// good trace it is not known which router is the last.
    ///
    /// - Parameter gateway: The gateway of the target's path.
    func diagnosis(gateway: IPAddress?) -> Diagnosis? {
        guard let result = latest?.result, !result.isAnswered else { return nil }
        if case .error(let error) = result.end {
            guard let offender = Offender(error, gateway: gateway), let rule = offender.role.rule else { return nil }
            return Diagnosis(reason: error.reason, detail: result.detail, rule: rule, offender: offender, pathEnd: end)
        }
        if !result.loop.isEmpty {
            return Diagnosis(reason: .ttlExceeded, detail: result.detail, rule: .pathBroken, pathEnd: end)
        }
        guard case .silent = result.end, let good, let comparison, comparison.lastAnswering != nil,
            let next = comparison.next, next.address != result.request.destination
        else { return nil }
        let detail = "the path \(comparison) at \(good.at)"
        return Diagnosis(reason: .timeout, detail: detail, rule: .pathBroken, pathEnd: end)
    }
}
