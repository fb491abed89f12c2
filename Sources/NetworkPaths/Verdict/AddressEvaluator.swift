// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Judges targets: puts the questions to the kernel in batches and reads the decision table.
struct AddressEvaluator {
    let routeLookup: RouteLookup
    let links: LinkTable
    let connections: [DeclaredConnection]
    let defaultMark: UInt32?

    private var table: DecisionTable { DecisionTable(links: links) }

    // MARK: Addresses

    /// Judges addresses, in order: one look for most, two where the first leaves a choice, all batched.
    func evaluate(_ questions: [AddressQuestion]) -> [Verdict] {
        var verdicts = [Verdict?](repeating: nil, count: questions.count)
        let deadEnds = questions.indices.filter { index in
            questions[index].lastInterface != 0 && !(links[questions[index].lastInterface]?.isLive ?? true)
        }
        for (index, entry) in zip(deadEnds, tableEntries(deadEnds, questions)) {
            verdicts[index] = table.deadEnd(entry, to: questions[index])
        }
        let open = questions.indices.filter { verdicts[$0] == nil }
        let answers = routeLookup.ask(open.map { questions[$0].routeQuestion })
        var second: [(index: Int, answer: RouteAnswer)] = []
        for (index, answer) in zip(open, answers) {
            switch table.evaluate(answer, to: questions[index]) {
            case .verdict(let verdict): verdicts[index] = verdict
            case .needsTableEntry: second.append((index, answer))
            }
        }
        for ((index, answer), entry) in zip(second, tableEntries(second.map(\.index), questions)) {
            let hops = entry.hops.isEmpty ? entry.nextHopObject.map(routeLookup.hops(ofNextHop:)) ?? [] : entry.hops
            verdicts[index] = table.evaluate(answer, entry: entry, hops: hops, to: questions[index])
        }
        return verdicts.map { $0 ?? .unsatisfied(.kernelRefused) }
    }

    private func tableEntries(_ indices: [Int], _ questions: [AddressQuestion]) -> [RouteAnswer] {
        routeLookup.ask(
            indices.map { index in
                var question = questions[index].routeQuestion
                question.wantsTableEntry = true
                return question
            }
        )
    }

    // MARK: The default path

    /// Judges one family's default path: the first probe address whose matching route is a default route decides.
    func evaluateDefault(
        _ family: AddressFamily,
        source: IPAddress? = nil,
        interface: UInt32 = 0,
        mark: UInt32? = nil
    ) -> Verdict {
        let mark = mark ?? defaultMark
        var last = Verdict.unsatisfied(.noRoute)
        for probe in DefaultPathProbes.addresses(family) {
            let question = AddressQuestion(destination: probe, source: source, interface: interface, mark: mark)
            var route = question.routeQuestion
            route.wantsTableEntry = true
            let entry = routeLookup.ask(route)
            if let refusal = table.refusal(ofTableEntry: entry, to: question) {
                last = refusal
                continue
            }
            guard entry.prefixLength <= DefaultPathProbes.longestPrefix(family) else { continue }
            var verdict = evaluate([question])[0]
            let link = links[verdict.interface]
            if verdict.rank > 0, link?.isLoopback ?? true || link?.isIgnored ?? true {
                // A default through loopback or through a link that the user wants passed over is no network.
                verdict = .unsatisfied(.noRoute)
            }
            verdict.flags.subtract([.isDirect, .isLocalAddress])
            return verdict
        }
        return last
    }

    /// Judges the default path of each family that is asked for; the better-ranked one wins, IPv4 on a tie (R70).
    func evaluateDefaultPath(
        family: AddressFamily?,
        source: IPAddress? = nil,
        interface: String? = nil,
        mark: UInt32?
    ) -> NetworkPath {
        var index: UInt32 = 0
        if let interface {
            guard let link = links.link(named: interface) else { return path(.unsatisfied(.noInterface)) }
            index = link.index
        }
        let families = (family ?? source?.family).map { [$0] } ?? [.ipv4, .ipv6]
        return defaultPath(of: defaultVerdicts(families, source: source, interface: index, mark: mark))
    }

    /// Judges the default path of each family by itself, declared connections considered.
    func defaultVerdicts(
        _ families: [AddressFamily],
        source: IPAddress? = nil,
        interface: UInt32 = 0,
        mark: UInt32?
    ) -> [AddressFamily: Verdict] {
        var verdicts: [AddressFamily: Verdict] = [:]
        for family in families {
            let verdict = evaluateDefault(family, source: source, interface: interface, mark: mark)
            verdicts[family] = withConnection(verdict) { connection in
                connection.prefixes?.contains { $0.length == 0 && $0.address.family == family } ?? true
            }
        }
        return verdicts
    }

    /// Puts the verdicts of families together: the better-ranked one wins, IPv4 on a tie (R70).
    func defaultPath(of verdicts: [AddressFamily: Verdict]) -> NetworkPath {
        let ordered = AddressFamily.allCases.compactMap { verdicts[$0] }
        guard var best = ordered.first else { return path(.unsatisfied(.noRoute)) }
        for verdict in ordered where verdict.rank > best.rank { best = verdict }
        var path = path(best)
        path.supportsIPv4 = verdicts[.ipv4]?.rank == 2
        path.supportsIPv6 = verdicts[.ipv6]?.rank == 2
        return path
    }

    // MARK: Connections and paths

    /// Row 13: puts the flags of a declared connection in the place of a "no".
    func withConnection(_ verdict: Verdict, covers: (DeclaredConnection) -> Bool) -> Verdict {
        guard verdict.allowsConnection, let connection = connections.first(where: covers) else { return verdict }
        var verdict = verdict
        verdict.flags = connection.flags
        verdict.reason = .connectionAvailable
        return verdict
    }

    /// The path of an address target, declared connections considered.
    func path(_ verdict: Verdict, of destination: IPAddress) -> NetworkPath {
        let verdict = withConnection(verdict) { connection in
            connection.prefixes?.contains { $0.contains(destination) } ?? true
        }
        var path = path(verdict)
        if verdict.rank == 2 {
            if destination.family == .ipv4 { path.supportsIPv4 = true } else { path.supportsIPv6 = true }
        }
        return path
    }

    /// The path of a bare verdict.
    func path(_ verdict: Verdict) -> NetworkPath {
        let link = links[verdict.interface]
        return NetworkPath(
            flags: verdict.flags,
            unsatisfiedReason: verdict.reason,
            interface: link.map { NetworkInterface(name: $0.name, index: $0.index, type: $0.type) },
            sourceAddress: verdict.source,
            gateway: verdict.gateway,
            isExpensive: link?.isExpensive ?? false,
            isConstrained: link?.isConstrained ?? false
        )
    }
}

/// One address to be judged, with the circumstances.
struct AddressQuestion {
    var destination: IPAddress
    /// The local side of a pair; its ownership is judged separately.
    var source: IPAddress?
    /// The index of the interface that the target is bound to; zero for none.
    var interface: UInt32 = 0
    var mark: UInt32?
    /// The index of the interface that the target went by last; zero when there is none.
    var lastInterface: UInt32 = 0

    var routeQuestion: RouteQuestion {
        RouteQuestion(destination: destination, source: source, interface: interface, mark: mark)
    }
}
