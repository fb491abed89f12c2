// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// Compares a trace that failed with an earlier one that succeeded: where packets stop, and whether the route is
/// another one. Pure.
package struct TraceComparison: Sendable, Hashable {
    /// A router, and its distance.
    package struct Position: Sendable, Hashable, CustomStringConvertible {
        /// The router's address, as it reported it.
        package let address: IPAddress
        /// The number of the hop in its trace, from 1.
        package let hop: Int

        /// Creates a position.
        package init(address: IPAddress, hop: Int) {
            self.address = address
            self.hop = hop
        }

        /// `203.0.113.2 (hop 3)`.
        package var description: String { "\(address) (hop \(hop))" }
    }

    /// The last hop of the failed trace that answered and was on the earlier route; nil when there is none.
    package let lastCommon: Position?
    /// The router, or the destination, that followed ``lastCommon`` on the earlier route, or came first without one;
    /// nil when none followed or answered.
    package let next: Position?
    /// The last hop of the failed trace that answered; nil when none did.
    package let lastAnswering: Position?
    /// The first hop at which both traces have an answer and no address in common; nil when the routes agree as far as
    /// both are known.
    package let firstDifference: Int?
    /// The routers of the failed trace's loop; empty without one.
    package let loop: [IPAddress]
    private let end: TraceResult.End
    private let isCutOff: Bool
    /// Whether ``next`` did not follow immediately: hops between did not answer on the earlier route.
    private let isNextBehindSilence: Bool

    /// Whether the failed trace took another route.
    package var isRouteChanged: Bool { firstDifference != nil }

    /// Compares two traces to the same destination.
    ///
    /// - Parameters:
    ///   - good: The last trace that the destination answered.
    ///   - failed: The present trace.
    package init(good: TraceResult, failed: TraceResult) {
        let pairs = zip(good.hops, failed.hops)
        let difference = pairs.first { good, failed in
            !good.isSilent && !failed.isSilent && !good.addresses.contains(where: failed.addresses.contains)
        }
        firstDifference = difference?.0.number
        loop = failed.loop
        end = failed.end
        isCutOff = failed.isCutOff
        lastAnswering = failed.lastAnswering.flatMap { hop in
            hop.addresses.first.map { Position(address: $0, hop: hop.number) }
        }
        // A router that both routes contain, at any distance; of a loop, its first passage.
        var common: (position: Position, goodHop: Int)?
        for hop in failed.hops {
            for address in hop.addresses {
                guard let earlier = good.hops.first(where: { $0.addresses.contains(address) }),
                    earlier.number > common?.goodHop ?? 0
                else { continue }
                common = (Position(address: address, hop: hop.number), earlier.number)
            }
        }
        lastCommon = common?.position
        let following = good.hops.first { $0.number > common?.goodHop ?? 0 && !$0.isSilent }
        next = following.flatMap { hop in hop.addresses.first.map { Position(address: $0, hop: hop.number) } }
        isNextBehindSilence = (following?.number ?? 0) > (common?.goodHop ?? 0) + 1
    }
}

extension TraceComparison: CustomStringConvertible {
    /// For example `stops behind 203.0.113.2 (hop 3), which led on to 198.51.100.1`.
    package var description: String {
        switch end {
        case .reached, .refused:
            return firstDifference.map { "reaches the destination by another route from hop \($0)" }
                ?? "reaches the destination by the same route"
        case .fault(let fault): return "not traced: \(fault.detail)"
        case .error, .silent: break
        }
        var parts = [ending]
        if let next {
            // A hop between that did not answer may be the one that is broken.
            let next = isNextBehindSilence ? "\(next)" : "\(next.address)"
            if let lastCommon, lastCommon == lastAnswering, loop.isEmpty {
                parts.append("which led on to \(next)")
            } else if let lastCommon {
                parts.append("\(lastCommon) led on to \(next)")
            } else {
                parts.append("the earlier route began with \(next)")
            }
        }
        if let firstDifference, let lastCommon, lastCommon != lastAnswering, loop.isEmpty {
            parts.append("the route differs from hop \(firstDifference)")
        }
        return parts.joined(separator: ", ")
    }

    /// The end of the failed trace.
    private var ending: String {
        if !loop.isEmpty { return "loops between " + loop.map { "\($0)" }.joined(separator: " and ") }
        if case .error(let error) = end, let offender = error.message?.offender {
            if let lastAnswering, lastAnswering.address == offender { return "refused by \(lastAnswering)" }
            return "refused by \(offender)"
        }
        return lastAnswering.map { isCutOff ? "was not traced beyond \($0)" : "stops behind \($0)" }
            ?? "stops before the first router that answers"
    }
}
