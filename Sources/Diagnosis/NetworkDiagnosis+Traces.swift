// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// What traces showed that the target did not answer.
extension NetworkDiagnosis {
    /// Routers send few errors, often one a second: that one did not answer a trace shows nothing when it answered another one within
    /// this time.
    static var rationing: UInt64 { 3_000_000_000 }

    /// A fault that is known for longer than this is not only the first sign of another one.
    private static var settling: UInt64 { 30_000_000_000 }

    /// How long a trace sends packets to a silent hop: the last more than a second after the first, as routers send an error a second.
    private static var tracing: UInt64 { 2_000_000_000 }

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
        loop: FaultEvidence? = nil,
        drop: FaultEvidence? = nil
    ) -> (read: [UInt64], again: [UInt64]) {
        guard let target = targets[id] else { return ([], []) }
        guard let last = hops.last(where: { !$0.addresses.isEmpty }) else {
            return (drop.map { dropped(target, at: start, $0) } ?? [], [])
        }
        if let router = last.addresses.first { heard(router, of: id, from: start, until: max(start, end)) }
        let place = Place(target.gateway, target.host)
        if !isRouteKnown(id), loop == nil {
            // The best that is known of the way; the first answer replaces it.
            let known = hops.filter { !$0.addresses.contains(target.host) }
            follow(place, Route(hops: known, seenAt: nil), of: id)
        }
        if !target.isTraced, isRouteKnown(id), loop == nil,
            !tree.way(to: target.network).contains(where: { place in
                tree[place]?.addresses.contains(where: last.addresses.contains) == true
            })
        {
            leave(target, behind: hops)
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
        let tracedHop = tree[way[position]]?.hop ?? 0
        tree.update(network) { $0.tracedHop = tracedHop }
        let answered = way[...position].filter { place in
            tree[place]?.addresses.contains(where: answering.contains) == true
        }
        let corrected = tree.answer(answered, at: start, until: end, patience: Self.rationing)
        let again = reached(way, to: position, at: start, until: end)
        let next = way[position + 1]
        // What packets to others came to just before is not what is broken.
        let since = max(target.failingSince ?? start, start - min(start, Self.rationing))
        let broken = way.dropFirst(position + 1).first { (tree[$0]?.reachedAt ?? 0) < since } ?? next
        // Where the trace ended elsewhere, the route is another one, and nothing is known of it. Behind the last router, the host itself may
        // be the one that is silent.
        let endsHere = tree[way[position]].map { node in
            node.addresses.contains(where: last.addresses.contains) || node.hop == 1 && last.hop == 1
        }
        // A router that reports others' packets spends its errors on them; where others pass it, it is the less likely to be broken.
        func isRationed(_ place: Int) -> Bool {
            func isWithin(_ patience: UInt64, _ moment: UInt64) -> Bool { moment > 0 && moment + patience >= start }
            return tree[place].map { node in
                isWithin(Self.rationing, node.spokeAt) || place != broken && isWithin(Self.reportAge, node.reportedAt)
            } ?? false
        }
        // A router that has no route sends even fewer, and one of a loop is asked by all that circulates; what it reported explains the
        // silence as long as no packet passes.
        let isReported = way.contains { place in
            tree[place].map { $0.fault?.witness == .report || $0.forwardingFault?.isLoop == true } ?? false
        }
        // The next but one, which spends no errors, did not answer either: what others pass leads nothing on to it.
        let isBeyond = isRationed(next) && broken != network && !isRationed(broken)
        if endsHere == true, next != network, !isReported, !isRationed(next) || isBeyond {
            let last = broken == next || isBeyond ? nil : tree[way[position]].map { RouteHop($0.hop, $0.addresses) }
            _ = fault(broken, .trace, since: start, nil, by: nil, behind: last, seenAt: seenAt(id))
        }
        return (tree.failing(below: corrected.first ?? next), again)
    }

    /// Notes that packets came to a router of a way, and so passed the routers before it. A loop that was found nearer is behind it, or the
    /// router is one of the loop's; what a router before it reported of the way is over.
    mutating func reached(_ way: [Int], to position: Int, at start: UInt64, until end: UInt64) -> [UInt64] {
        let loop = way[...position]
            .flatMap { place in [tree[place]?.fault, place == way[position] ? nil : tree[place]?.forwardingFault] }
            .compactMap(\.self).first { $0.isLoop && $0.since <= max(start, end) }
        let refuted = way[position...].dropFirst().filter { place in
            guard let known = tree[place]?.fault, let reporter = known.reporter, known.renewedAt <= start,
                !known.isLoop
            else { return false }
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
                since: max(start, loop.since),
                loop.evidence,
                by: loop.reporter
            )
        }
        return again
    }

    /// No router answers a trace of a way that is known, not even the gateway, which answered another one: such packets are dropped before
    /// it, or by it. Where others pass the gateway, that concerns the silent targets of this network, and those that are silent together
    /// with them.
    ///
    /// - Returns: The failing targets to be read again.
    private mutating func dropped(_ target: Target, at start: UInt64, _ evidence: FaultEvidence) -> [UInt64] {
        let way = tree.way(to: target.network)
        guard let since = target.failingSince, let place = way.first, let gateway = tree[place],
            gateway.answeredAt > 0, gateway.spokeAt < start,
            !way.contains(where: { isAtFault($0, before: start) })
        else { return [] }
        droppedAt = start
        guard gateway.passedAt >= since else {
            _ = begin(.trace, at: place, isForwarding: true, since: start, evidence)
            return tree.failing(below: place)
        }
        let common = unproven(way, since: since).map { way[$0 / 2] } ?? target.network
        let silent = tree.failing(below: common).filter { id in
            guard let other = targets[id], other.network != target.network else { return true }
            return !tree.way(to: other.network).contains { place in
                [tree[place]?.fault, tree[place]?.forwardingFault].contains { ![nil, .silence].contains($0?.witness) }
            }
        }
        let drop = Note(evidence: evidence, reporter: nil, until: Note.untilAnswered, tracedAt: start)
        if drops.count >= Self.maximumDrops { drops = [:] }
        drops[common] = drop
        for id in silent { notes[id] = drop }
        return silent.sorted()
    }

    /// Whether packets to a target are dropped before the gateway, or by it, as a trace to it showed, or one to another that is silent with it.
    mutating func isDropped(_ id: UInt64, _ way: [Int], since: UInt64) -> Bool {
        if let known = notes[id] { return known.isDrop }
        guard !drops.isEmpty, let place = way.first(where: { drops[$0] != nil }), let drop = drops[place] else {
            return false
        }
        guard tree[place]?.reachedAt ?? .max < since else {
            if tree[place]?.reachedAt ?? .max >= drop.tracedAt ?? 0 { drops[place] = nil }
            return false
        }
        notes[id] = drop
        return true
    }

    /// Whether a fault at a node explains that the gateway does not answer a trace: it spends its errors on what it does not forward.
    private func isAtFault(_ place: Int, before start: UInt64) -> Bool {
        guard let node = tree[place] else { return false }
        return node.fault?.witness == .report
            || [node.fault, node.forwardingFault].contains { $0.map { $0.since + Self.settling < start } ?? false }
    }

    /// A trace showed other routers than those to the rest of a target's network: it, and what else fails there without a trace of its own,
    /// is behind them.
    private mutating func leave(_ target: Target, behind hops: [RouteHop]) {
        let place = Place(target.gateway, target.host)
        for id in tree[target.network]?.failing.sorted() ?? [] {
            guard let other = targets[id], !other.isTraced else { continue }
            move(id, to: node(of: other.host, place, hops))
        }
    }

    /// A router sent an error for a packet to a target between two times: it may have to wait with the next one, and packets to this network
    /// are not dropped at once.
    ///
    /// - Parameter isReport: Whether it reported that it does not forward.
    package mutating func heard(
        _ router: IPAddress,
        of id: UInt64,
        from start: UInt64,
        until end: UInt64,
        isReport: Bool = false
    ) {
        guard let target = targets[id] else { return }
        let way = tree.way(to: target.network)
        for place in way where tree[place]?.addresses.contains(router) == true {
            tree.update(place) { node in
                node.spokeAt = max(node.spokeAt, end)
                if isReport { node.reportedAt = max(node.reportedAt, end) }
            }
        }
        removeDrops(target.network, way)
        // It may have been silent to a trace of that time only because of this error.
        guard let gateway = way.first, tree[gateway]?.addresses.contains(router) == true,
            start < droppedAt + Self.tracing
        else { return }
        tree.update(gateway) { node in
            if let fault = node.forwardingFault, fault.witness == .trace, end >= fault.since {
                node.forwardingFault = nil
            }
        }
        func isOfOtherTime(_ note: Note) -> Bool {
            note.tracedAt.map { end < $0 || start >= $0 + Self.tracing } ?? true
        }
        drops = drops.filter { isOfOtherTime($0.value) }
        notes = notes.filter { id, note in targets[id]?.gateway != target.gateway || isOfOtherTime(note) }
    }

    /// Forgets that packets to a network are dropped at once.
    private mutating func removeDrops(_ network: Int, _ way: [Int]) {
        for place in way where !drops.isEmpty { drops[place] = nil }
        guard !notes.isEmpty else { return }
        for id in tree[network]?.failing ?? [] where notes[id]?.isDrop == true { notes[id] = nil }
    }
}
