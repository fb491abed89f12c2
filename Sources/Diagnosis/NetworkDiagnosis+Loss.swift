// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// The newest results of a target's probes.
struct RecentResults: Sendable {
    /// How many are kept.
    static let capacity = 8

    private(set) var count = 0
    /// A bit for each silent one, the newest first.
    private var silent: UInt8 = 0
    /// How many were added since a fault on the way ended.
    private var later = capacity
    /// When that end was seen; 0 for never.
    private var endedAt: UInt64 = 0

    /// Adds a result. Silence of a probe that began before the end of a fault was seen is explained by that.
    mutating func add(isSilent: Bool, since start: UInt64) {
        if isSilent, start < endedAt { return }
        silent = silent << 1 | (isSilent ? 1 : 0)
        count = min(count + 1, Self.capacity)
        later = min(later + 1, Self.capacity)
    }

    /// Notes that a fault ended which explained those that are known.
    mutating func end(at moment: UInt64) { (later, endedAt) = (0, moment) }

    /// How many of the newest ones up to the last answer were silent, and of how many. What is silent since then may be an outage.
    ///
    /// - Parameter isLater: Whether only those count that were added since a fault on the way ended.
    func silent(among limit: Int, isLater: Bool = false) -> (silent: Int, all: Int) {
        let open = (~silent).trailingZeroBitCount
        let ended = silent >> min(open, 7)
        let known = isLater ? min(count, later) : count
        let all = min(known - min(open, known), limit)
        return ((ended & UInt8(truncatingIfNeeded: (1 << all) - 1)).nonzeroBitCount, all)
    }
}

/// Loss on the way: some packets of every host behind a router are lost, as where one of two equal paths is broken.
extension NetworkDiagnosis {
    /// Silence is explained by loss while it is no less likely than this.
    private static var leastLikelihood: Double { 0.000_01 }
    /// The same for loss that was found before: the host may be dead meanwhile.
    private static var leastKnownLikelihood: Double { 0.001 }
    /// So many silent results of hosts behind an element, while none of their packets passed it, are an outage and no loss: of packets of
    /// which each second one is lost, so many in a row are one case in 4,000.
    static var outageResults: Int { 12 }
    /// After so many answers of the others and no loss since a fault ended, what was silent before was an outage, too.
    private static var provingAnswers: Int { 4 }
    /// Loss is a router's while one host in so many behind it loses packets: at its begin, few have failed and responded since.
    private static var lossyPart: Int { 4 }
    /// It is also that of the router before it while the hosts behind that one's other ways lose no less than one part in so many of what
    /// those behind the router lose: single results are lost everywhere, as on a busy machine.
    private static var lossyRatePart: Double { 3 }

    /// The loss that explains the consecutive failures of a target: two other hosts at least, the nearest whose results are known, are silent
    /// now and then. The more of its own probes fail in a row, the less likely that becomes.
    mutating func loss(of target: Target, _ way: [Int]) -> PathFault? {
        guard target.failures > 0 else { return nil }
        let window = min(max(target.failures + 1, 4), RecentResults.capacity)
        for (position, place) in way.enumerated().reversed() {
            let seen = results(below: place, except: target.host, among: window)
            guard seen.hosts > 1 else { continue }
            guard seen.lossy > 0 else { return nil }
            guard seen.lossy > 1, !wasOutage(below: place, except: target.host) else { continue }
            guard isLikely(seen.rate, target, Self.leastLikelihood) else { return nil }
            return lose(target, way, from: tree[place]?.isNetwork == true ? max(position - 1, 0) : position, window)
        }
        return nil
    }

    /// The same, by loss that is known on the way: it goes on while packets pass there since the target fails, and most hosts behind it lose
    /// them.
    mutating func knownLoss(of target: Target, _ way: [Int]) -> PathFault? {
        guard target.failures > 0, let since = target.failingSince,
            let position = way.firstIndex(where: { tree[$0]?.isLossy == true }), let node = tree[way[position]],
            node.passedAt >= since
        else { return nil }
        let seen = results(below: way[position], except: target.host, among: RecentResults.capacity)
        guard seen.lossy > 1, Self.lossyPart * seen.lossy >= seen.hosts,
            !wasOutage(below: way[position], except: target.host)
        else {
            tree.update(way[position]) { $0.isLossy = false }
            return nil
        }
        // Its neighbours lose none.
        let near = results(below: target.network, except: target.host, among: RecentResults.capacity)
        if near.hosts > 1, near.lossy == 0, tree[target.network]?.failing.count == 1 { return nil }
        guard isLikely(seen.rate, target, Self.leastKnownLikelihood) else { return nil }
        return lose(target, way, from: position, RecentResults.capacity)
    }

    /// Whether the hosts below a node lost nothing since a fault that explained their silence ended.
    private func wasOutage(below place: Int, except host: IPAddress) -> Bool {
        let later = results(below: place, except: host, among: RecentResults.capacity, isLater: true)
        return later.lossy == 0 && later.all >= Self.provingAnswers
    }

    private func isLikely(_ rate: Double, _ target: Target, _ least: Double) -> Bool {
        var likelihood = 1.0
        for _ in 0..<min(target.failures, 64) { likelihood *= rate }
        return likelihood >= least
    }

    /// Has the router nearest to this machine that explains loss be the one that loses packets.
    private mutating func lose(_ target: Target, _ way: [Int], from router: Int, _ window: Int) -> PathFault {
        let farthest = outermost(way, router, of: target.host, among: window)
        for place in way where tree[place]?.isLossy != (place == farthest) {
            tree.update(place) { $0.isLossy = place == farthest }
        }
        let since = target.failingSince ?? target.lastStart
        return makeFault(farthest, isForwarding: true, .loss, since: since, nil, by: nil, seenAt: nil)
    }

    /// The router nearest to this machine behind which hosts lose packets: where a router's other ways lose none, it is not to blame.
    private func outermost(_ way: [Int], _ router: Int, of host: IPAddress, among window: Int) -> Int {
        var found = way[router]
        let least = results(below: found, except: host, among: window).rate / Self.lossyRatePart
        for (place, inner) in zip(way, way.dropFirst()).prefix(router).reversed() {
            let others = results(below: place, except: host, among: window, beside: inner)
            guard others.hosts > 0 else { continue }
            guard Self.lossyPart * others.lossy >= others.hosts, others.rate >= least else { break }
            found = place
        }
        return found
    }

    /// How many hosts below a node, and not below `inner`, responded to a probe, how many of them lost some, and the part of the results that
    /// are silent.
    private func results(
        below place: Int,
        except host: IPAddress,
        among window: Int,
        beside inner: Int? = nil,
        isLater: Bool = false
    ) -> (hosts: Int, lossy: Int, all: Int, rate: Double) {
        var (open, steps) = ([place], 0)
        var (hosts, lossy, silent, all) = (Set<IPAddress>(), Set<IPAddress>(), 0, 0)
        while let current = open.popLast(), let node = tree[current], steps < Self.siblingSteps {
            steps += 1
            for member in node.members.prefix(Self.siblingSteps - steps) {
                steps += 1
                guard let other = targets[member], other.host != host else { continue }
                let results = other.recent.silent(among: window, isLater: isLater)
                guard results.all > 0 else { continue }
                silent += results.silent
                all += results.all
                hosts.insert(other.host)
                if results.silent > 0 { lossy.insert(other.host) }
            }
            open += node.children.values.prefix(Self.siblingSteps).filter { $0 != inner }
        }
        return (hosts.count, lossy.count, all, Double(silent) / Double(max(all, 1)))
    }
}
