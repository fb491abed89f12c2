// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// What a router reports of a packet that it does not forward.
package enum RouterReport: Sendable, Hashable {
    /// It has no route (RFC 792 type 3 codes 0 and 6; RFC 4443 type 1 code 0).
    case noRoute
    /// The packet went round in circles (type 11; RFC 4443 type 3).
    case loop
    /// The next host or router does not answer on its link (type 3 code 1; RFC 4443 type 1 code 3).
    case noHost
    /// A firewall rejects the packet: it concerns this target alone.
    case prohibited
}

/// What was seen of one target's packets.
extension NetworkDiagnosis {
    /// Routers send few errors, often one a second: that one did not answer a trace shows nothing when it answered another one within
    /// this time.
    static var rationing: UInt64 { 3_000_000_000 }

    /// How long a report that concerns one target explains its silence.
    package static var reportAge: UInt64 { 60_000_000_000 }

    /// A probe was answered, however: packets came to the host.
    ///
    /// - Parameters:
    ///   - start: When the probe began.
    ///   - end: When it ended: its packet was sent between.
    /// - Returns: The targets that have to be probed again, because a fault ended.
    package mutating func answered(
        _ id: UInt64,
        _ host: IPAddress,
        _ gateway: Gateway,
        at start: UInt64,
        until end: UInt64 = 0
    ) -> [UInt64] {
        if !notes.isEmpty { notes[id] = nil }
        return reached(id, host, gateway, at: start, until: end)
    }

    /// Packets came to the host, whatever became of the probe; what is noted of the target stays.
    package mutating func reached(
        _ id: UInt64,
        _ host: IPAddress,
        _ gateway: Gateway,
        at start: UInt64,
        until end: UInt64 = 0
    ) -> [UInt64] {
        place(id, host, gateway)
        guard let target = targets[id] else { return [] }
        targets[id]?.askedAt = max(target.askedAt, start)
        targets[id]?.explanationEnd = nil
        targets[id]?.recent.add(isSilent: false)
        if target.failingSince != nil {
            targets[id]?.failingSince = nil
            targets[id]?.failures = 0
            tree.update(target.network) { _ = $0.failing.remove(id) }
        }
        return reached(id, at: start, until: end, isBack: target.failingSince != nil)
    }

    /// Notes that packets came to a target's network.
    mutating func reached(_ id: UInt64, at start: UInt64, until end: UInt64, isBack: Bool) -> [UInt64] {
        guard let target = targets[id] else { return [] }
        if !isBack, !target.isTraced, let witness = witness(of: target, at: start) {
            guard targets[witness]?.askedAt ?? 0 < start else { return [] }
            targets[witness]?.askedAt = start
            return [witness]
        }
        return restart(after: tree.prove(target.network, at: start), at: start, until: end)
    }

    /// A target whose answer would end a fault that a trace or a report showed on the way of another one. The hosts of one prefix may be
    /// in several places: an answer by a way that only a neighbour's trace showed does not end it.
    private func witness(of target: Target, at start: UInt64) -> UInt64? {
        for place in tree.way(to: target.network) {
            guard let node = tree[place], let fault = node.fault ?? node.forwardingFault, fault.witness != .silence,
                fault.since <= start
            else { continue }
            return tree.firstFailing(below: place) { targets[$0]?.isTraced == true }
        }
        return nil
    }

    /// A probe was not answered.
    ///
    /// - Parameter start: When the probe began. A result that was handed in before changes nothing.
    package mutating func silent(
        _ id: UInt64,
        _ host: IPAddress,
        _ gateway: Gateway,
        at start: UInt64
    ) {
        place(id, host, gateway)
        guard var target = targets[id] else { return }
        guard target.failingSince == nil || start > target.lastStart else { return }
        var since = target.failingSince ?? start
        // What was sent meanwhile may have been too early.
        if target.failingSince == nil, let end = target.explanationEnd, start >= end.seenAt { since = end.sentAt }
        target.failingSince = since
        target.lastStart = start
        target.askedAt = max(target.askedAt, start)
        target.failures += 1
        target.recent.add(isSilent: true)
        targets[id] = target
        tree.update(target.network) { _ = $0.failing.insert(id) }
        tree.suspect(host, below: target.network, since: since)
    }

    /// A probe waits long for its answer: its host counts as silent until that comes.
    package mutating func waits(_ id: UInt64, since start: UInt64) {
        guard let target = targets[id], target.failingSince == nil else { return }
        tree.suspect(target.host, below: target.network, since: start)
    }

    /// A router reported why a packet to a target was not forwarded; call ``silent(_:_:_:at:)`` before.
    ///
    /// - Parameters:
    ///   - reporter: The router's address.
    ///   - hop: Its distance; nil when unknown.
    ///   - start: When the packet was sent.
    ///   - now: The present time.
    /// - Returns: What to show, and the targets to be probed again, because a fault ended.
    package mutating func reported(
        _ report: RouterReport,
        _ id: UInt64,
        by reporter: IPAddress,
        hop: Int?,
        from start: UInt64,
        at now: UInt64,
        _ evidence: Evidence
    ) -> (reading: SilenceReading<Evidence>, again: [UInt64]) {
        guard let target = targets[id] else { return (.host(isProven: false), []) }
        let way = tree.way(to: target.network)
        let position =
            way.dropLast().lastIndex { tree[$0]?.addresses.contains(reporter) == true }
            ?? way.dropLast().lastIndex { hop != nil && tree[$0]?.hop == hop }
        var again: [UInt64] = []
        // Both routers of a loop report, and neither shows how far packets come.
        if let position, report != .loop {
            let answered = tree.answer([way[position]], at: start, patience: Self.rationing)
            again = restart(after: answered, at: start, until: now) + reached(way, to: position, at: start, until: now)
            silent(id, target.host, target.gateway, at: start)
        }
        // A router that no trace shows is before the first one that is farther.
        let farther = hop.flatMap { hop in
            way.dropLast().first { tree[$0].map { $0.hop > hop } ?? false }
        }
        let broken = position.map { way[$0 + 1] } ?? farther ?? target.network
        let reading: SilenceReading<Evidence> =
            switch report {
            case .prohibited: prohibited(id, position.map { way[$0 + 1] }, evidence, by: reporter, from: start, at: now)
            case .noHost where broken == target.network: absent(id, evidence, by: reporter, from: start, at: now)
            case .noHost: reported(of: id, at: [broken], evidence, by: reporter, from: start, at: now)
            case .noRoute:
                reported(of: id, at: way.drop { $0 != broken }, evidence, by: reporter, from: start, at: now)
            case .loop: looped(way, position, evidence, by: reporter, of: id, from: start, at: now)
            }
        return (reading, again)
    }

    /// A report names the first of some nodes that no packet came to since the target fails; when there is none, it concerns the target
    /// alone.
    private mutating func reported(
        of id: UInt64,
        at places: some Sequence<Int>,
        _ evidence: Evidence,
        by reporter: IPAddress?,
        from start: UInt64,
        at now: UInt64
    ) -> SilenceReading<Evidence> {
        let since = targets[id]?.failingSince ?? start
        guard let broken = places.first(where: { (tree[$0]?.reachedAt ?? 0) < since }) else {
            return .own(note(evidence, of: id, by: reporter, until: now + Self.reportAge))
        }
        // What others behind the router are silent for is what it reports.
        if let place = tree[broken]?.parent, let node = tree[place], node.forwardingFault?.witness == .silence,
            node.passedAt < since, let reporter, node.addresses.contains(reporter)
        {
            return .path(setForwardingFault(place, evidence, by: reporter, from: start))
        }
        return fault(broken, .report, since: start, evidence, by: reporter)
    }

    /// A firewall rejects a packet: it concerns the target alone, unless nothing behind the firewall responds.
    private mutating func prohibited(
        _ id: UInt64,
        _ broken: Int?,
        _ evidence: Evidence,
        by reporter: IPAddress,
        from start: UInt64,
        at now: UInt64
    ) -> SilenceReading<Evidence> {
        let own = note(evidence, of: id, by: reporter, until: now + Self.reportAge)
        guard let broken, case .path(let known) = reading(of: id, at: now), let node = tree[broken],
            known.last?.hop ?? 0 >= node.hop - 1
        else { return .own(own) }
        guard known.witness == .report else { return fault(broken, .report, since: start, evidence, by: reporter) }
        return known.reporter == reporter ? .path(known) : .own(own)
    }

    /// The last router finds no host: it is this one, or none of its hosts answers.
    private mutating func absent(
        _ id: UInt64,
        _ evidence: Evidence,
        by reporter: IPAddress,
        from start: UInt64,
        at now: UInt64
    ) -> SilenceReading<Evidence> {
        guard case .path(let known) = reading(of: id, at: now), let network = targets[id]?.network else {
            return .host(isProven: true)
        }
        return known.witness == .silence ? fault(network, .report, since: start, evidence, by: reporter) : .path(known)
    }

    /// Packets go round in circles: they come to the routers of the loop, which lead nothing on. The first of these that says so names the
    /// fault.
    private mutating func looped(
        _ way: [Int],
        _ position: Int?,
        _ evidence: Evidence,
        by reporter: IPAddress?,
        of id: UInt64,
        from start: UInt64,
        at now: UInt64
    ) -> SilenceReading<Evidence> {
        for place in way {
            let known = tree.update(place) { node in
                if node.fault?.witness == .report { node.fault?.renewedAt = start }
                if node.forwardingFault?.witness == .report { node.forwardingFault?.renewedAt = start }
                return [node.fault, node.forwardingFault].compactMap { $0 }.first { $0.witness == .report }
            }
            if let known = known ?? nil { return .path(known) }
        }
        guard let position else {
            return reported(of: id, at: way.suffix(1), evidence, by: reporter, from: start, at: now)
        }
        let since = targets[id]?.failingSince ?? start
        // What is known already was found behind a router that packets reach.
        let farther = way.indices.dropLast().last { index in
            guard let node = tree[way[index]] else { return false }
            return node.reachedAt >= since || node.forwardingFault != nil || tree[way[index + 1]]?.fault != nil
        }
        let place = max(position, farther ?? 0)
        // Others pass the routers of the loop: it is one of this place alone.
        if let node = tree[way[place]], node.passedAt >= since {
            return reported(of: id, at: way.dropFirst(place + 1), evidence, by: reporter, from: start, at: now)
        }
        return .path(setForwardingFault(way[place], evidence, by: reporter, from: start, isLoop: true))
    }

    private mutating func setForwardingFault(
        _ place: Int,
        _ evidence: Evidence?,
        by reporter: IPAddress?,
        from start: UInt64,
        isLoop: Bool = false
    ) -> PathFault<Evidence> {
        var fault = makeFault(place, isForwarding: true, .report, since: start, evidence, by: reporter, seenAt: nil)
        fault.isLoop = isLoop
        tree.update(place) { $0.forwardingFault = fault }
        faultCount += 1
        return fault
    }

    /// Notes that packets came to a router of a way, and so passed the routers before it. A loop that was found nearer is behind it, or the
    /// router is one of the loop's; what a router before it reported of the way is over.
    private mutating func reached(_ way: [Int], to position: Int, at start: UInt64, until end: UInt64) -> [UInt64] {
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
            _ = setForwardingFault(way[position], loop.evidence, by: loop.reporter, from: start, isLoop: true)
        }
        return again
    }

    /// What is reported of one target alone explains its silence for a time, or until it answers.
    ///
    /// - Returns: What to show: the former report, while another router may only take turns.
    @discardableResult
    package mutating func note(
        _ evidence: Evidence,
        of id: UInt64,
        by reporter: IPAddress?,
        until: UInt64
    ) -> Evidence {
        guard targets[id] != nil else { return evidence }
        if var known = notes[id], let former = known.reporter, let reporter, former != reporter,
            known.others + 1 < Self.takeover
        {
            known.others += 1
            known.until = until
            notes[id] = known
            return known.evidence
        }
        notes[id] = Note(evidence: evidence, reporter: reporter, until: until)
        return evidence
    }

    /// What is noted of one target alone and not too old; nil for nothing.
    package func note(of id: UInt64, at now: UInt64) -> Evidence? {
        notes[id].flatMap { now <= $0.until ? $0.evidence : nil }
    }

    /// Forgets what was reported of one target alone.
    package mutating func removeNote(of id: UInt64) { notes[id] = nil }

    /// A trace to a target ended without an answer.
    ///
    /// - Parameters:
    ///   - hops: The hops that answered, in their order.
    ///   - start: When it began.
    ///   - end: When it ended.
    ///   - loop: What to show when the packets went round in circles; nil for mere silence.
    /// - Returns: The failing targets to be read again, and those to be probed again, because a fault ended.
    package mutating func traced(
        _ id: UInt64,
        _ hops: [RouteHop],
        at start: UInt64,
        until end: UInt64 = 0,
        loop: Evidence? = nil
    ) -> (read: [UInt64], again: [UInt64]) {
        guard let target = targets[id], let last = hops.last(where: { !$0.addresses.isEmpty }) else {
            return ([], [])
        }
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

    /// Notes a fault at a node, unless a nearer or older one of the same kind explains the same.
    mutating func fault(
        _ id: Int,
        _ witness: PathFault<Evidence>.Witness,
        since: UInt64,
        _ evidence: Evidence?,
        by reporter: IPAddress?,
        seenAt: Int64? = nil
    ) -> SilenceReading<Evidence> {
        guard let node = tree[id] else { return .host(isProven: false) }
        // A packet that was sent later came there.
        guard node.reachedAt <= since else { return evidence.map { .own($0) } ?? .host(isProven: false) }
        if var known = node.fault, known.witness == .report || known.witness == witness {
            guard witness == .report else { return .path(known) }
            known.renewedAt = max(known.renewedAt, since)
            let isOther = known.reporter != nil && reporter != nil && known.reporter != reporter
            known.others = isOther ? known.others + 1 : 0
            if !isOther { known.evidence = evidence }
            if known.others < Self.takeover {
                tree.update(id) { $0.fault = known }
                return .path(known)
            }
        }
        faultCount += 1
        let fault = makeFault(id, witness, since: since, evidence, by: reporter, seenAt: seenAt)
        tree.update(id) { $0.fault = fault }
        return .path(fault)
    }

    func makeFault(
        _ id: Int,
        isForwarding: Bool = false,
        _ witness: PathFault<Evidence>.Witness,
        since: UInt64,
        _ evidence: Evidence?,
        by reporter: IPAddress?,
        seenAt: Int64?
    ) -> PathFault<Evidence> {
        let node = tree[id]
        let last = isForwarding ? node : node?.parent.flatMap { tree[$0] }
        var network: IPPrefix?
        if !isForwarding, case .network(let prefix) = node?.key { network = prefix }
        return PathFault(
            witness: witness,
            last: last.map { RouteHop($0.hop, $0.addresses) },
            following: isForwarding || network != nil ? nil : node.map { RouteHop($0.hop, $0.addresses) },
            seenAt: seenAt,
            network: network,
            since: since,
            renewedAt: since,
            evidence: evidence,
            reporter: reporter
        )
    }

    /// The failures of targets whose fault ended begin anew.
    ///
    /// - Returns: These targets.
    private mutating func restart(after ended: [Int], at start: UInt64, until end: UInt64) -> [UInt64] {
        guard !ended.isEmpty else { return [] }
        var again: Set<UInt64> = []
        for node in ended { again.formUnion(tree.failing(below: node)) }
        for id in again {
            rest(id)
            targets[id]?.explanationEnd = (start, max(start, end))
        }
        return again.sorted()
    }

    /// A target's failures no longer count: its probe is suspended, or they spoke of what is over.
    package mutating func rest(_ id: UInt64) {
        targets[id]?.explanationEnd = nil
        guard let target = targets[id], target.failingSince != nil else { return }
        // A longer silence that ends so was an outage, and no loss.
        if target.failures >= Self.takeover { targets[id]?.recent = RecentResults() }
        targets[id]?.failingSince = nil
        targets[id]?.failures = 0
        tree.update(target.network) { _ = $0.failing.remove(id) }
        tree.clear(target.host, below: target.network)
    }
}
