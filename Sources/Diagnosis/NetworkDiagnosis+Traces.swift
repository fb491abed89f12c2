// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// What traces showed that the target did not answer.
extension NetworkDiagnosis {
    /// Routers send few errors, often one a second: that one did not answer a trace shows nothing when it answered another one within
    /// this time.
    static var rationing: UInt64 { 3_000_000_000 }

    /// A gateway that answered a trace so shortly before may have to wait with the next answer.
    private static var pause: UInt64 { 1_000_000_000 }

    /// A trace to a target ended without an answer.
    ///
    /// - Parameters:
    ///   - hops: The hops that answered, in their order.
    ///   - start: When it began.
    ///   - end: When it ended.
    ///   - loop: What to show when the packets went round in circles; nil for mere silence.
    ///   - drop: What to show when not even the gateway answers, which did before; nil for nothing.
    /// - Returns: The failing targets to be read again, and those to be probed again, because a fault ended.
    package mutating func traced(
        _ id: UInt64,
        _ hops: [RouteHop],
        at start: UInt64,
        until end: UInt64 = 0,
        loop: Evidence? = nil,
        drop: Evidence? = nil
    ) -> (read: [UInt64], again: [UInt64]) {
        guard let target = targets[id] else { return ([], []) }
        guard let last = hops.last(where: { !$0.addresses.isEmpty }) else {
            return (drop.map { dropped(target, at: start, $0) } ?? [], [])
        }
        // The packets are not dropped at once.
        if notes[id]?.isDrop == true { notes[id] = nil }
        let place = Place(target.gateway, target.host)
        if !isRouteKnown(id), loop == nil {
            // The best that is known of the way; the first answer replaces it.
            let known = hops.filter { !$0.addresses.contains(target.host) }
            follow(place, Route(hops: known, seenAt: nil), of: id)
        }
        guard let network = targets[id]?.network else { return ([], []) }
        let way = tree.way(to: network)
        let answering = hops.flatMap(\.addresses)
        if let loop {
            let repeated = answering.filter { address in answering.count { $0 == address } > 1 }
            let last = way.dropLast().lastIndex { tree[$0]?.addresses.contains(where: repeated.contains) == true }
            _ = looped(way, last, loop, by: nil, of: id, from: start, at: start)
            return (tree.failing(below: last.map { way[$0] } ?? network), [])
        }
        let position = way.dropLast().lastIndex { place in
            tree[place]?.hop == 1 || tree[place]?.addresses.contains(where: answering.contains) == true
        }
        guard let position else { return ([], []) }
        let answered = way[...position].filter { place in
            tree[place]?.addresses.contains(where: answering.contains) == true
        }
        let corrected = tree.answer(answered, at: start, patience: Self.rationing)
        let again = reached(way, to: position, at: start, until: end)
        let broken = way[position + 1]
        // Where the trace ended elsewhere, the route is another one, and nothing is known of it. Behind the last router, the host itself may
        // be the one that is silent.
        let endsHere = tree[way[position]].map { node in
            node.addresses.contains(where: last.addresses.contains) || node.hop == 1 && last.hop == 1
        }
        let isRationed = tree[broken].map { $0.answeredAt > 0 && $0.answeredAt + Self.rationing >= start } ?? false
        // A router that has no route sends even fewer; what it reported explains the silence as long as no packet passes.
        let isReported = way.contains { tree[$0]?.fault?.witness == .report }
        if endsHere == true, broken != network, !isRationed, !isReported {
            _ = fault(broken, .trace, since: start, nil, by: nil, seenAt: seenAt(id))
        }
        return (tree.failing(below: corrected.first ?? broken), again)
    }

    /// Notes that packets came to a router of a way, and so passed the routers before it. A loop that was found nearer is behind it, or the
    /// router is one of the loop's; what a router before it reported of the way is over.
    mutating func reached(_ way: [Int], to position: Int, at start: UInt64, until end: UInt64) -> [UInt64] {
        let loop = way[..<position].compactMap { tree[$0]?.forwardingFault }.first { $0.isLoop && $0.since <= start }
        let refuted = way[position...].dropFirst().filter { place in
            guard let known = tree[place]?.fault, let reporter = known.reporter, known.renewedAt <= start else {
                return false
            }
            return way[..<position].contains { tree[$0]?.addresses.contains(reporter) == true }
        }
        for place in refuted { tree.update(place) { $0.fault = nil } }
        let again = restart(after: refuted + tree.prove(way[position], at: start), at: start, until: end)
        if let loop {
            _ = begin(
                .report,
                at: way[position],
                isForwarding: true,
                isLoop: true,
                since: start,
                loop.evidence,
                by: loop.reporter
            )
        }
        return again
    }

    /// No router answers a trace of a way that is known, not even the gateway, which answered another one: such packets are dropped before
    /// it, or by it. Where others pass the gateway, that concerns the silent targets of this network.
    ///
    /// - Returns: The failing targets to be read again.
    private mutating func dropped(_ target: Target, at start: UInt64, _ evidence: Evidence) -> [UInt64] {
        let way = tree.way(to: target.network)
        guard let since = target.failingSince, let place = way.first, let gateway = tree[place],
            gateway.answeredAt > 0, gateway.answeredAt + Self.pause < start,
            !way.contains(where: { tree[$0]?.fault?.witness == .report })
        else { return [] }
        guard gateway.passedAt >= since else {
            _ = begin(.trace, at: place, isForwarding: true, since: start, evidence)
            return tree.failing(below: place)
        }
        let silent = tree[target.network]?.failing.sorted() ?? []
        for id in silent { note(evidence, of: id, by: nil, until: Note.untilAnswered) }
        return silent
    }
}
