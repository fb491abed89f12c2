// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses
import Probing

/// The route to a target that responds, as its good traces show it. Pure.
///
/// Routers that balance load over equal paths lead traces along different ones. So a change counts once two consecutive traces
/// agree on it, and routers of a route that one trace showed in between are known afterwards.
struct KnownRoute: Sendable, Hashable {
    /// The number of routers that are known for one hop.
    static let maximumAddresses = 8

    /// The routers of each hop, from hop 1; empty for silent ones.
    private(set) var hops: [[IPAddress]]
    /// Another route that one trace showed.
    private(set) var candidate: [[IPAddress]]?

    init(_ trace: TraceResult) { hops = Self.hops(of: trace) }

    /// Takes a further good trace to the same destination.
    ///
    /// - Returns: The change that it confirms; nil without one.
    mutating func take(_ trace: TraceResult) -> RouteChange? {
        let new = Self.hops(of: trace)
        guard let difference = Self.firstDifference(hops, new) else {
            // Equal paths: the other route is part of this one.
            if let candidate { merge(candidate) }
            merge(new)
            candidate = nil
            return nil
        }
        guard let candidate, Self.firstDifference(candidate, new) == nil else {
            candidate = new
            return nil
        }
        let change = RouteChange(
            destination: trace.request.destination,
            firstDifference: difference,
            previous: hops,
            current: new
        )
        self = KnownRoute(trace)
        merge(candidate)
        return change
    }

    /// Adds the routers of another trace, where it is as long.
    private mutating func merge(_ other: [[IPAddress]]) {
        guard other.count == hops.count else { return }
        for (index, addresses) in other.enumerated() {
            for address in addresses
            where !hops[index].contains(address) && hops[index].count < Self.maximumAddresses {
                hops[index].append(address)
            }
        }
    }

    private static func hops(of trace: TraceResult) -> [[IPAddress]] {
        trace.hops.map { Array($0.addresses.prefix(maximumAddresses)) }
    }

    /// The first hop at which both routes have an answer and no address in common; the routes differ behind the shorter one when it
    /// ends earlier.
    private static func firstDifference(_ left: [[IPAddress]], _ right: [[IPAddress]]) -> Int? {
        let pairs = zip(left, right)
        if let index = pairs.enumerated().first(where: { _, pair in
            !pair.0.isEmpty && !pair.1.isEmpty && !pair.0.contains(where: pair.1.contains)
        })?.offset {
            return index + 1
        }
        return left.count == right.count ? nil : min(left.count, right.count)
    }
}

/// A changed route to a target that responds.
package struct RouteChange: Sendable, Hashable {
    /// The destination.
    package let destination: IPAddress
    /// The first hop that differs, from 1.
    package let firstDifference: Int
    /// The known routers of each hop before, from hop 1; empty for silent hops.
    package let previous: [[IPAddress]]
    /// The routers of each hop now.
    package let current: [[IPAddress]]

    /// Creates a change.
    package init(destination: IPAddress, firstDifference: Int, previous: [[IPAddress]], current: [[IPAddress]]) {
        self.destination = destination
        self.firstDifference = firstDifference
        self.previous = previous
        self.current = current
    }
}
