// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// What explains a silent target, and what would tell more.
extension NetworkDiagnosis {
    /// How many silent probes in a row a target has, since its last answer or the end of a fault.
    package func failures(of id: UInt64) -> Int { targets[id]?.failures ?? 0 }

    /// The same with those whose connection was established, without a response.
    package func failuresAndStalls(of id: UInt64) -> Int { targets[id].map { $0.failures + $0.stalls } ?? 0 }

    /// Whether a target behind a gateway answered its last probe there.
    package func answered(_ id: UInt64) -> Bool {
        targets[id].map { $0.failingSince == nil && $0.recent.count > 0 } ?? false
    }

    /// When the first of these began; nil for none.
    package func failingSince(_ id: UInt64) -> UInt64? { targets[id]?.failingSince }

    /// Whether a target was down by itself before anything that is known of it, and did not answer since.
    package func wasDown(_ id: UInt64) -> Bool { targets[id]?.wasDown == true }

    /// Whether a fault that explains a target's silence ended after a time: what was sent before shows nothing.
    package func isOver(_ id: UInt64, since start: UInt64) -> Bool {
        guard let target = targets[id] else { return false }
        return start < target.explanationEnd?.seenAt ?? 0
            || tree.way(to: target.network).contains { (tree[$0]?.endedAt ?? 0) > start }
    }

    /// When a packet was sent that came to the network of a target, or that ended the fault which explained its silence: what is known of
    /// its way is older.
    package func provenAt(_ id: UInt64) -> UInt64 {
        guard let target = targets[id] else { return 0 }
        return max(tree[target.network]?.reachedAt ?? 0, target.explanationEnd?.sentAt ?? 0)
    }

    /// Whether packets to a target come farther than a router, behind which its way ended before: the newest trace to its network did, or
    /// a router behind that one was reached since, and leads nothing on.
    package func isPassed(_ router: IPAddress, by id: UInt64) -> Bool {
        guard let target = targets[id] else { return false }
        let way = tree.way(to: target.network).compactMap { tree[$0] }.drop { node in
            node.isNetwork || !node.addresses.contains(router)
        }
        guard let end = way.first else { return false }
        if let traced = tree[target.network]?.tracedHop, end.hop < traced { return true }
        // Several networks are traced together, and the farther router has no error left for each.
        let since = min(target.failingSince ?? .max, target.explanationEnd?.sentAt ?? .max)
        guard let faulty = way.dropFirst().first(where: \.isFaulty) else { return false }
        return faulty.fault == nil && faulty.reachedAt >= since
    }

    /// When the fault began that explains a target's silence; nil for a target that does not fail.
    ///
    /// - Parameters:
    ///   - router: The last router that packets reach; nil where no router is at fault.
    ///   - isLoop: Whether packets circulate there.
    package func onset(of id: UInt64, behind router: IPAddress?, isLoop: Bool = false) -> FaultOnset? {
        guard let target = targets[id], let since = target.failingSince else { return nil }
        let workedAt = router.map { passedAt($0, on: tree.way(to: target.network), isLoop: isLoop) } ?? 0
        // A fault that began later did not cause the first failures.
        let failedAt = workedAt < since ? since : target.lastStart
        return FaultOnset(workedAt: workedAt, failedAt: failedAt, failingSince: since)
    }

    /// When a packet was sent last that a router of a way led on; 0 when none is known.
    private func passedAt(_ router: IPAddress, on way: [Int], isLoop: Bool) -> UInt64 {
        // A router may report by another address than traces show: it is the last one before the fault.
        let end = way.firstIndex { tree[$0]?.isFaulty == true }
        let before = end.map { tree[way[$0]]?.fault == nil ? $0 : max($0, 1) - 1 }
        guard let last = way.lastIndex(where: { tree[$0]?.addresses.contains(router) == true }) ?? before else {
            return 0
        }
        // Packets that circulate come to the routers behind it, too.
        let faulty = way[last...].lazy.compactMap { tree[$0] }.first(where: \.isFaulty)
        if let faulty, (faulty.fault ?? faulty.forwardingFault)?.isLoop == true { return faulty.passedAt }
        if let faulty, faulty.fault != nil { return faulty.reachedAt }
        if isLoop { return way.last.flatMap { tree[$0]?.reachedAt } ?? 0 }
        // A report is about one network, and where some packets pass, these show nothing of the others.
        if let node = tree[way[last]], let fault = node.forwardingFault, fault.witness != .report {
            return node.passedAt
        }
        return way.dropFirst(last + 1).first.flatMap { tree[$0]?.reachedAt } ?? 0
    }

    /// Reads the silence of a target; see the table of the type.
    ///
    /// - Parameters:
    ///   - now: The present time.
    ///   - isDown: Whether the target is down by itself already.
    /// - Returns: The reading; a fault that it rests on is known from now on.
    package mutating func reading(of id: UInt64, at now: UInt64, isDown: Bool = false) -> SilenceReading {
        guard let target = targets[id], let since = target.failingSince else {
            return .host(isProven: false)
        }
        let way = tree.way(to: target.network)
        // A fault that is known explains each silence after it, also one that began for another reason.
        let relevant = isDown ? since : target.lastStart
        // Dropped at once, whatever is silent behind the gateway.
        let isDrop = isDown ? notes[id]?.isDrop == true : isDropped(id, way, since: since)
        let drop = isDrop && !isDown ? notes[id]?.evidence : nil
        let fault = fault(on: way, since: relevant, isDropped: drop != nil)
        if let fault, fault.witness == .report { return .path(fault) }
        let noted = isDrop ? nil : note(of: id, at: now)
        if !isDown, drop == nil, noted == nil, let loss = knownLoss(of: target, way) { return .path(loss) }
        if let fault { return .path(fault) }
        if let drop { return .own(drop) }
        var isProven = isDown || !needsTrace(target)
        // What others are silent for since then is explained already, by what began later.
        let isLater = isDown && way.contains { tree[$0]?.isFaulty == true }
        if !isLater, let network = tree[target.network], network.reachedAt < since,
            let first = unproven(way, since: since)
        {
            if let fault = shared(way, from: first, seenAt: seenAt(id)) { return .path(fault) }
            isProven = false
        }
        if let noted { return .own(noted) }
        if !target.isTraced, let fault = faultOfPrefix(target, id, since: relevant) { return .path(fault) }
        if !isDown, let fault = loss(of: target, way) { return .path(fault) }
        return .host(isProven: isProven)
    }

    /// What a router reported of the way to the next one, where that is a silent target itself; nil for nothing.
    package func reportOfNext(_ id: UInt64) -> PathFault? {
        guard let target = targets[id], let since = target.failingSince,
            let last = tree[target.network]?.parent.flatMap({ tree[$0] }),
            let router = last.children[.router(hop: last.hop + 1, target.host)].flatMap({ tree[$0] }),
            let fault = router.fault, fault.witness == .report, router.reachedAt < since
        else { return nil }
        return fault
    }

    /// The first fault of a way that no packet passed since a time.
    ///
    /// - Parameter isDropped: Whether the packets are dropped at once: then that others behind a router are silent explains nothing.
    private func fault(on way: [Int], since: UInt64, isDropped: Bool = false) -> PathFault? {
        func isRead(_ fault: PathFault) -> Bool { !isDropped || fault.witness != .silence }
        for (position, place) in way.enumerated() {
            guard let node = tree[place] else { continue }
            if position > 0, let fault = node.fault, node.reachedAt < since, isRead(fault) { return fault }
            if !node.isNetwork, let fault = node.forwardingFault, node.passedAt < since, isRead(fault) { return fault }
        }
        return nil
    }

    /// The first element of a way that is not proven since a time, numbered along the way: that a node is reached, and that it leads on.
    func unproven(_ way: [Int], since: UInt64) -> Int? {
        for (position, place) in way.enumerated() {
            guard let node = tree[place] else { continue }
            if position > 0, node.reachedAt < since { return 2 * position }
            if !node.isNetwork, node.passedAt < since { return 2 * position + 1 }
        }
        return nil
    }

    /// Whether a trace may show more of a silent target, although packets come to its network: more hosts there are silent, or the
    /// network is in several places and none showed in which one it is.
    private func needsTrace(_ target: Target) -> Bool {
        guard let network = tree[target.network] else { return false }
        return network.failing.contains { targets[$0]?.host != target.host }
            || !target.isTraced && !tree.others(of: target.network).isEmpty
    }

    /// A fault of another way to a target's prefix, which it then takes: that of a target without a trace of its own is a guess.
    private mutating func faultOfPrefix(_ target: Target, _ id: UInt64, since: UInt64) -> PathFault? {
        for network in tree.others(of: target.network).sorted() {
            let way = tree.way(to: network)
            guard way.first == tree.way(to: target.network).first, let fault = fault(on: way, since: since) else {
                continue
            }
            move(id, to: network)
            return fault
        }
        return nil
    }

    /// The fault that the silence of several hosts shows (D3), from the first element that is not proven.
    private mutating func shared(_ way: [Int], from first: Int, seenAt: Int64?) -> PathFault? {
        let hosts = suspects(way, first)
        guard hosts.count > 1 else { return nil }
        var element = first
        // Behind a router that was reached later, more hosts may be silent.
        for next in (first + 1)..<max(2 * way.count - 1, first + 1) {
            let explained = suspects(way, next)
            if explained.count >= hosts.count, hosts.keys.allSatisfy({ explained[$0] != nil }) { element = next }
        }
        let place = way[element / 2]
        let isForwarding = !element.isMultiple(of: 2)
        // What the router reported of others behind it is what these are silent for.
        let report = isForwarding ? reportBehind(place) : nil
        return begin(
            report == nil ? .silence : .report,
            at: place,
            isForwarding: isForwarding,
            since: hosts.values.max() ?? 0,
            report?.evidence,
            by: report?.reporter,
            seenAt: seenAt
        )
    }

    /// A report of a router that something behind it is broken; nil without one.
    private func reportBehind(_ place: Int) -> PathFault? {
        guard let node = tree[place] else { return nil }
        return node.children.values.prefix(Self.siblingSteps).lazy.compactMap { tree[$0]?.fault }
            .first { $0.witness == .report && $0.reporter.map(node.addresses.contains) == true }
    }

    /// The silent hosts that an element explains.
    private func suspects(_ way: [Int], _ element: Int) -> [IPAddress: UInt64] {
        guard let node = tree[way[element / 2]] else { return [:] }
        let provenAt = element.isMultiple(of: 2) ? node.reachedAt : node.passedAt
        return provenAt <= node.passedAt ? node.suspects : node.suspects.filter { $0.value > provenAt }
    }

    /// The targets behind the element at fault on the way of a target that were not asked since that began: their answers show what it
    /// concerns. They count as asked.
    ///
    /// - Parameters:
    ///   - isConfirmed: Whether the target is unreachable. Until then a report may be of its own network alone.
    ///   - now: The present time.
    package mutating func unasked(behind id: UInt64, isConfirmed: Bool, at now: UInt64) -> [UInt64] {
        guard let target = targets[id],
            let place = tree.way(to: target.network).first(where: { tree[$0]?.isFaulty == true }),
            let node = tree[place], isConfirmed || (node.fault ?? node.forwardingFault)?.witness != .report,
            tree.update(place, { $0.countAsked() }) == true
        else { return [] }
        let begin = [node.fault?.since, node.forwardingFault?.since].compactMap(\.self).min() ?? now
        var (found, open): ([UInt64], [Int]) = ([], [place])
        while let current = open.popLast(), let node = tree[current], found.count < Self.maximumAsked {
            found += node.members.filter { targets[$0].map { $0.failingSince == nil && $0.askedAt < begin } ?? false }
            open += node.children.values
        }
        found = Array(found.sorted().prefix(Self.maximumAsked))
        for id in found { targets[id]?.askedAt = now }
        return found
    }

    /// The failing targets that a reading of this kind concerns, too: those behind the same element.
    package func companions(of id: UInt64) -> [UInt64] {
        guard let target = targets[id] else { return [] }
        let way = tree.way(to: target.network)
        let place = way.first { tree[$0]?.isFaulty == true } ?? way.first { tree[$0]?.isLossy == true }
        return place.map(tree.failing) ?? []
    }

    /// Targets whose answers would show which element of a target's way is broken: for each element one that leaves the way there, the
    /// nearest to the target first. Those that were asked since its first failure are left out; the others count as asked.
    ///
    /// - Parameter now: The present time.
    package mutating func siblings(of id: UInt64, at now: UInt64) -> [UInt64] {
        guard let target = targets[id], let since = target.failingSince else { return [] }
        var found: [UInt64] = []
        var covered: Int?
        for place in tree.way(to: target.network).reversed() {
            if let sibling = sibling(below: place, except: covered, of: target, since: since) {
                found.append(sibling)
                let askedAt = targets[sibling]?.askedAt ?? 0
                targets[sibling]?.askedAt = max(askedAt, now)
            }
            covered = place
            if found.count == Self.maximumSiblings { break }
        }
        return found
    }

    private func sibling(below place: Int, except covered: Int?, of target: Target, since: UInt64)
        -> UInt64?
    {
        var open = [place]
        var steps = 0
        while let current = open.popLast(), let node = tree[current], steps < Self.siblingSteps {
            steps += 1
            for member in node.members.prefix(Self.siblingSteps - steps) {
                steps += 1
                guard let other = targets[member], other.host != target.host, other.failingSince == nil
                else {
                    continue
                }
                // It was asked since: its answer is known, or on its way.
                if other.askedAt >= since { return nil }
                return member
            }
            open += node.children.values.prefix(Self.siblingSteps).filter { $0 != covered }
        }
        return nil
    }
}
