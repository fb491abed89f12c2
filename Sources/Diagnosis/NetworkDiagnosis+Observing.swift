// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// What was seen of one target's packets.
extension NetworkDiagnosis {
    /// Packets came to the host: a probe was answered, however, or its connection was established.
    ///
    /// - Parameters:
    ///   - start: When the probe began.
    ///   - end: When it ended: its packet was sent between.
    ///   - isStalled: Whether no response came on the connection; what is noted of the target then stays.
    /// - Returns: The targets that have to be probed again, because a fault ended.
    package mutating func answered(
        _ id: UInt64,
        _ host: IPAddress,
        _ gateway: Gateway,
        at start: UInt64,
        until end: UInt64 = 0,
        isStalled: Bool = false
    ) -> [UInt64] {
        if !isStalled, !notes.isEmpty { notes[id] = nil }
        place(id, host, gateway)
        guard var target = targets[id] else { return [] }
        let isBack = target.failingSince != nil
        let failures = target.failures
        target.askedAt = max(target.askedAt, start)
        target.explanationEnd = nil
        target.recent.add(isSilent: false, since: start)
        (target.failingSince, target.failures) = (nil, 0)
        target.stalls = isStalled ? target.stalls + 1 : 0
        targets[id] = target
        if isBack { tree.update(target.network) { _ = $0.failing.remove(id) } }
        return reached(id, at: start, until: end, isBack: isBack, after: failures)
    }

    /// Notes that packets came to a target's network.
    ///
    /// - Parameter failures: How many probes of the target were silent before.
    mutating func reached(
        _ id: UInt64,
        at start: UInt64,
        until end: UInt64,
        isBack: Bool,
        after failures: Int = 0
    ) -> [UInt64] {
        guard let target = targets[id] else { return [] }
        // Which of the places of its prefix a target is in that was not traced is a guess.
        let common = target.isTraced ? target.network : tree.common(to: target.network)
        var witness: UInt64?
        if !target.isTraced, !isBack || common != target.network {
            witness = self.witness(of: target, at: start, behind: common)
            if let id = witness {
                if targets[id]?.askedAt ?? 0 < start { targets[id]?.askedAt = start } else { witness = nil }
                guard common != target.network else { return witness.map { [$0] } ?? [] }
            }
        }
        let ended = tree.prove(common, at: start, passes: common != target.network, isBack: isBack)
        return restart(after: ended, at: start, until: end, by: (id, failures)) + (witness.map { [$0] } ?? [])
    }

    /// A target whose answer would end a fault that a trace or a report showed on the way of another one. The hosts of one prefix may be
    /// in several places: an answer by a way that only a neighbour's trace showed does not end it.
    private func witness(of target: Target, at start: UInt64, behind common: Int) -> UInt64? {
        var isGuess = false
        for place in tree.way(to: target.network) {
            defer { if place == common { isGuess = true } }
            guard let node = tree[place], let fault = node.fault ?? node.forwardingFault,
                isGuess || fault.witness != .silence, fault.since <= start
            else { continue }
            return tree.firstFailing(below: place) { targets[$0]?.isTraced == true }
        }
        return nil
    }

    /// A probe was not answered.
    ///
    /// - Parameters:
    ///   - start: When the probe began. A result that was handed in before changes nothing.
    ///   - wasDown: Whether the target was down by itself before anything that is known of it: what began later is not why.
    package mutating func silent(
        _ id: UInt64,
        _ host: IPAddress,
        _ gateway: Gateway,
        at start: UInt64,
        wasDown: Bool = false
    ) {
        place(id, host, gateway)
        guard var target = targets[id] else { return }
        guard target.failingSince == nil || start > target.lastStart else { return }
        var since = target.failingSince ?? start
        if target.failingSince == nil {
            if wasDown {
                since = Target.unknownBegin
            } else if let end = target.explanationEnd, start >= end.seenAt {
                // What was sent meanwhile may have been too early.
                since = end.sentAt
            }
        }
        target.failingSince = since
        target.lastStart = start
        target.askedAt = max(target.askedAt, start)
        target.failures += 1
        target.recent.add(isSilent: true, since: start)
        targets[id] = target
        tree.update(target.network) { _ = $0.failing.insert(id) }
        tree.suspect(host, below: target.network, since: since)
    }

    /// A probe waits long for its answer: its host counts as silent until that comes.
    package mutating func waits(_ id: UInt64, since start: UInt64) {
        guard let target = targets[id], target.failingSince == nil else { return }
        tree.suspect(target.host, below: target.network, since: start)
    }

    /// The failures of targets whose fault ended begin anew.
    ///
    /// - Parameter responder: The target whose response ended it, and how many of its probes were silent before; nil if that was a router.
    /// - Returns: These targets, and of each fault beside the one that ended a target whose trace would show where it is now.
    mutating func restart(
        after ended: [Int],
        at start: UInt64,
        until end: UInt64,
        by responder: (id: UInt64, failures: Int)? = nil
    ) -> [UInt64] {
        guard !ended.isEmpty else { return [] }
        var again: Set<UInt64> = []
        for node in ended { again.formUnion(tree.failing(below: node)) }
        // The fault did not explain those that were silent while packets came to their network.
        again = again.filter { id in
            guard let target = targets[id], let reachedAt = tree[target.network]?.reachedAt else { return true }
            return reachedAt < target.failingSince ?? .max || reachedAt >= start
        }
        let silent = again.reduce(responder?.failures ?? 0) { $0 + (targets[$1]?.failures ?? 0) }
        let wasOutage = silent >= Self.outageResults
        for id in again { rest(id, isLoss: !wasOutage, explainedUntil: (start, max(start, end))) }
        if let responder, responder.failures > 0, wasOutage {
            targets[responder.id]?.recent = RecentResults()
            targets[responder.id]?.recent.add(isSilent: false, since: start)
        }
        // Also of those that do not fail any more, or wait for the response of a probe from before.
        for node in ended where tree[node]?.isLossy == false {
            for id in tree.members(below: node) { update(id) { $0.recent.end(at: max(start, end)) } }
        }
        return again.union(doubt(beside: ended, at: start)).sorted()
    }

    /// Doubts the faults behind routers that led a packet on where they did not before: a fault that moved ends for some networks only.
    ///
    /// - Returns: A failing target behind each.
    private mutating func doubt(beside ended: [Int], at start: UInt64) -> [UInt64] {
        var witnesses: [UInt64] = []
        for router in Set(ended.flatMap { [$0, tree[$0]?.parent ?? $0] }) {
            guard let node = tree[router], node.passedAt >= start else { continue }
            for child in node.children.values {
                guard let fault = tree[child]?.fault, fault.witness == .trace || fault.witness == .silence,
                    start >= fault.since, fault.doubtedAt == 0 || start >= fault.doubtedAt + Self.doubting
                else { continue }
                tree.update(child) { $0.fault?.doubtedAt = start }
                if let witness = tree.firstFailing(below: child, where: { _ in true }) { witnesses.append(witness) }
            }
        }
        return witnesses
    }

    /// A target's failures no longer count: its probe is suspended, or they spoke of what is over.
    ///
    /// - Parameters:
    ///   - isLoss: Whether a few of them may have been loss.
    ///   - end: The packet that ended the fault which explained them; nil for none.
    package mutating func rest(
        _ id: UInt64,
        isLoss: Bool = true,
        explainedUntil end: (sentAt: UInt64, seenAt: UInt64)? = nil
    ) {
        let place = update(id) { target -> (host: IPAddress, network: Int)? in
            target.explanationEnd = end
            target.stalls = 0
            guard target.failingSince != nil else { return nil }
            // A longer silence that ends so was an outage, and no loss.
            if !isLoss || target.failures >= Self.takeover { target.recent = RecentResults() }
            (target.failingSince, target.failures) = (nil, 0)
            return (target.host, target.network)
        }
        guard case .some(.some(let place)) = place else { return }
        tree.update(place.network) { _ = $0.failing.remove(id) }
        tree.clear(place.host, below: place.network)
    }

    /// Changes a target in place.
    @discardableResult
    private mutating func update<Answer>(_ id: UInt64, _ body: (inout Target) -> Answer) -> Answer? {
        guard let index = targets.index(forKey: id) else { return nil }
        return body(&targets.values[index])
    }
}
