// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Finds the interfaces with a default route, and the order in which the kernel prefers them.
///
/// The kernel is asked for a default route through each link that is up: one look-up a link and family, all batched. So no table is
/// dumped, and policy rules count.
struct InterfaceSurvey {
    let evaluate: AddressEvaluator

    /// Interfaces that are described; a machine has a few with a default route, and its containers' ends have none.
    private static let capacity = 64

    private struct Candidate {
        let link: Link
        var metrics: [AddressFamily: UInt32] = [:]
    }

    /// Asks the kernel now.
    func look(supportsDNS: Bool) -> InterfacePaths {
        let chosen = evaluate.defaultVerdicts([.ipv4, .ipv6], mark: nil)
        let described = candidates().map { ($0, describe($0, chosen)) }
        let ordered = described.sorted { Self.rank($0.0, $0.1) < Self.rank($1.0, $1.1) }
        return InterfacePaths(
            defaultPath: evaluate.defaultPath(of: chosen),
            interfaces: ordered.prefix(Self.capacity).map(\.1),
            loopback: loopback(),
            supportsDNS: supportsDNS
        )
    }

    /// The links that the kernel has a default route through, usable or not.
    private func candidates() -> [Candidate] {
        let links = evaluate.links.links.values.filter { $0.isUp && !$0.isLoopback && !$0.isIgnored }
        var candidates = Dictionary(uniqueKeysWithValues: links.map { ($0.index, Candidate(link: $0)) })
        for family in AddressFamily.allCases {
            guard let probe = DefaultPathProbes.addresses(family).first else { continue }
            let questions = links.map {
                RouteQuestion(
                    destination: probe,
                    interface: $0.index,
                    mark: evaluate.defaultMark,
                    wantsTableEntry: true
                )
            }
            for (link, entry) in zip(links, evaluate.routeLookup.ask(questions))
            where entry.error == 0 && entry.prefixLength <= DefaultPathProbes.longestPrefix(family) {
                candidates[link.index]?.metrics[family] = entry.metric
            }
        }
        return candidates.values.filter { !$0.metrics.isEmpty }
    }

    private func describe(_ candidate: Candidate, _ chosen: [AddressFamily: Verdict]) -> InterfacePath {
        let link = candidate.link
        var path = InterfacePath(
            interface: NetworkInterface(name: link.name, index: link.index, type: link.type),
            isExpensive: link.isExpensive,
            isConstrained: link.isConstrained,
            leadsThroughModem: link.leadsThroughModem
        )
        var reason: UnsatisfiedReason?
        for family in AddressFamily.allCases where candidate.metrics[family] != nil {
            let verdict = evaluate.evaluateDefault(family, interface: link.index)
            guard verdict.rank == 2, verdict.interface == link.index else {
                reason = reason ?? verdict.reason
                continue
            }
            path.routes[family] = InterfacePath.Route(gateway: verdict.gateway)
            if let choice = chosen[family], choice.rank == 2, choice.interface == link.index {
                path.chosenFor.insert(family)
            }
        }
        if path.routes.isEmpty { path.unsatisfiedReason = reason ?? .noRoute }
        return path
    }

    private func loopback() -> InterfacePath? {
        guard let link = evaluate.links.loopback, link.isUp else { return nil }
        let own = [(AddressFamily.ipv4, IPAddress(ipv4: 0x7f00_0001)), (.ipv6, IPAddress(ipv6High: 0, low: 1))]
        let verdicts = evaluate.evaluate(own.map { AddressQuestion(destination: $0.1, mark: evaluate.defaultMark) })
        var path = InterfacePath(
            interface: NetworkInterface(name: link.name, index: link.index, type: link.type),
            isExpensive: link.isExpensive,
            isConstrained: link.isConstrained
        )
        for ((family, _), verdict) in zip(own, verdicts) where verdict.rank == 2 {
            path.routes[family] = InterfacePath.Route()
        }
        if path.routes.isEmpty { path.unsatisfiedReason = verdicts.first?.reason ?? .noRoute }
        return path
    }

    private static func rank(_ candidate: Candidate, _ path: InterfacePath) -> (Int, UInt32, UInt32) {
        let place = path.chosenFor.contains(.ipv4) ? 0 : path.chosenFor.contains(.ipv6) ? 1 : 2
        let metric = candidate.metrics[.ipv4] ?? candidate.metrics[.ipv6] ?? .max
        return (place, metric, candidate.link.index)
    }
}
