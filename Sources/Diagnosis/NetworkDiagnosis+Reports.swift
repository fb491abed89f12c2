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

/// What routers reported, of the way or of one target.
extension NetworkDiagnosis {
    /// How long a report that concerns one target explains its silence.
    package static var reportAge: UInt64 { 60_000_000_000 }

    /// A router reported why a packet to a target was not forwarded; call ``silent(_:_:_:at:)`` before.
    ///
    /// - Parameters:
    ///   - reporter: The router's address.
    ///   - hop: Its distance; nil when unknown.
    ///   - start: When the packet was sent.
    ///   - now: The present time.
    ///   - isDown: Whether the target is down by itself already: what the router still forwarded to after that began later.
    /// - Returns: What to show, and the targets to be probed again, because a fault ended.
    package mutating func reported(
        _ report: RouterReport,
        _ id: UInt64,
        by reporter: IPAddress,
        hop: Int?,
        from start: UInt64,
        at now: UInt64,
        isDown: Bool = false,
        _ evidence: FaultEvidence
    ) -> (reading: SilenceReading, again: [UInt64]) {
        guard let target = targets[id] else { return (.host(isProven: false), []) }
        heard(reporter, of: id, from: now, until: now, isReport: true)
        let way = tree.way(to: target.network)
        let position =
            way.dropLast().lastIndex { tree[$0]?.addresses.contains(reporter) == true }
            ?? way.dropLast().lastIndex { hop != nil && tree[$0]?.hop == hop }
        var again: [UInt64] = []
        // Both routers of a loop report, and neither shows how far packets come.
        if let position, report != .loop {
            let answered = tree.answer([way[position]], at: start, until: now, patience: Self.rationing)
            again = restart(after: answered, at: start, until: now) + reached(way, to: position, at: start, until: now)
            silent(id, target.host, target.gateway, at: start)
        }
        // A router that no trace shows is before the first one that is farther.
        let farther = hop.flatMap { hop in
            way.dropLast().first { tree[$0].map { $0.hop > hop } ?? false }
        }
        let broken = position.map { way[$0 + 1] } ?? farther ?? target.network
        if isDown, report == .noRoute || report == .loop, let reachedAt = tree[broken]?.reachedAt,
            reachedAt >= target.failingSince ?? start
        {
            return (.host(isProven: true), again)
        }
        let reading: SilenceReading =
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
        isLoop: Bool = false,
        _ evidence: FaultEvidence,
        by reporter: IPAddress?,
        from start: UInt64,
        at now: UInt64
    ) -> SilenceReading {
        let since = targets[id]?.failingSince ?? start
        guard let broken = places.first(where: { (tree[$0]?.reachedAt ?? 0) < since }) else {
            return .own(note(evidence, of: id, by: reporter, until: now + Self.reportAge))
        }
        // What others behind the router are silent for is what it reports.
        if let place = tree[broken]?.parent, let node = tree[place], node.forwardingFault?.witness == .silence,
            node.passedAt < since, let reporter, node.addresses.contains(reporter)
        {
            return .path(begin(.report, at: place, isForwarding: true, since: start, evidence, by: reporter))
        }
        return fault(broken, .report, isLoop: isLoop, since: start, evidence, by: reporter)
    }

    /// A firewall rejects a packet: it concerns the target alone, unless nothing behind the firewall responds.
    private mutating func prohibited(
        _ id: UInt64,
        _ broken: Int?,
        _ evidence: FaultEvidence,
        by reporter: IPAddress,
        from start: UInt64,
        at now: UInt64
    ) -> SilenceReading {
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
        _ evidence: FaultEvidence,
        by reporter: IPAddress,
        from start: UInt64,
        at now: UInt64
    ) -> SilenceReading {
        guard case .path(let known) = reading(of: id, at: now), let network = targets[id]?.network else {
            return .host(isProven: true)
        }
        return known.witness == .silence ? fault(network, .report, since: start, evidence, by: reporter) : .path(known)
    }

    /// Packets go round in circles: they come to the routers of the loop, which lead nothing on. The first of these that says so names the
    /// fault.
    mutating func looped(
        _ way: [Int],
        _ position: Int?,
        _ evidence: FaultEvidence,
        by reporter: IPAddress?,
        of id: UInt64,
        from start: UInt64,
        at now: UInt64
    ) -> SilenceReading {
        for place in way {
            let known = tree.update(place) { node in
                if node.fault?.witness == .report { node.fault?.renew(start) }
                if node.forwardingFault?.witness == .report { node.forwardingFault?.renew(start) }
                return [node.fault, node.forwardingFault].compactMap { $0 }.first { $0.witness == .report }
            }
            if let known = known ?? nil { return .path(known) }
        }
        guard let position else {
            return reported(of: id, at: way.suffix(1), isLoop: true, evidence, by: reporter, from: start, at: now)
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
            let behind = way.dropFirst(place + 1)
            return reported(of: id, at: behind, isLoop: true, evidence, by: reporter, from: start, at: now)
        }
        // What circulates came here.
        for place in way[...place] { tree.update(place) { $0.fault = nil } }
        return .path(
            begin(.report, at: way[place], isForwarding: true, isLoop: true, since: start, evidence, by: reporter)
        )
    }

    /// What is reported of one target alone explains its silence for a time, or until it answers.
    ///
    /// - Returns: What to show: the former report, while another router may only take turns.
    @discardableResult
    package mutating func note(
        _ evidence: FaultEvidence,
        of id: UInt64,
        by reporter: IPAddress?,
        until: UInt64
    ) -> FaultEvidence {
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
    package func note(of id: UInt64, at now: UInt64) -> FaultEvidence? {
        notes[id].flatMap { now <= $0.until ? $0.evidence : nil }
    }

    /// Forgets what was reported of one target alone.
    package mutating func removeNote(of id: UInt64) { notes[id] = nil }
}
