// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Finds the links that carry tunnels, because a VPN over a modem is metered and slow as the modem is (contract R45).
///
/// The kernel knows the far end of most kinds of tunnel, and its route names the link. Of tun devices, WireGuard and OpenVPN's
/// own kind it knows none that an ordinary user may read: their packets are taken to leave by the best default route that is
/// not a tunnel, which is how `wg-quick` and OpenVPN lay their routes.
struct TunnelCarriers {
    let routeLookup: RouteLookup
    let links: LinkTable
    /// The mark of reachd's own packets, as for every question to the kernel.
    let mark: UInt32?

    /// Tunnels inside tunnels that are followed; more would be a loop.
    private static let depth = 4
    /// Links that are asked for a default route; a machine with a modem has a few, and its containers' ends are no uplinks.
    private static let candidates = 32

    /// The indices of the tunnels whose packets leave by a modem. Asks the kernel nothing where there is no modem or no tunnel.
    func overModems() -> Set<UInt32> {
        let live = links.links.values.filter(\.isLive)
        guard live.contains(where: { $0.type == .cellular }) else { return [] }
        let tunnels = live.filter { $0.type == .tunnel && !isPointToPointProtocol($0) }
        guard !tunnels.isEmpty else { return [] }
        let outside = defaultOutsideTunnels()
        return Set(tunnels.filter { carrier(of: $0, outside: outside)?.type == .cellular }.map(\.index))
    }

    /// A PPP link is dialled through a modem or a card itself, and not carried by a route.
    private func isPointToPointProtocol(_ link: Link) -> Bool {
        link.hardwareType == 512 || link.kind == "ppp"
    }

    /// The link that a tunnel's packets leave by in the end.
    private func carrier(of tunnel: Link, outside: Link?) -> Link? {
        var link = tunnel
        for _ in 0..<Self.depth {
            guard let next = nextCarrier(of: link, outside: outside), next.index != link.index else { return nil }
            guard next.type == .tunnel else { return next }
            link = next
        }
        return nil
    }

    private func nextCarrier(of tunnel: Link, outside: Link?) -> Link? {
        if let remote = tunnel.tunnelRemote {
            let answer = routeLookup.ask(RouteQuestion(destination: remote, interface: tunnel.lower ?? 0, mark: mark))
            return answer.error == 0 ? links[answer.interface] : nil
        }
        if let lower = tunnel.lower { return links[lower] }
        return outside
    }

    /// The link of the default route with the lowest metric that is not through a tunnel; IPv4 before IPv6.
    private func defaultOutsideTunnels() -> Link? {
        let uplinks = links.links.values
            .filter { $0.isLive && !$0.isLoopback && !$0.isIgnored && $0.type != .tunnel }
            .sorted { $0.index < $1.index }
            .prefix(Self.candidates)
        for family in AddressFamily.allCases {
            guard let probe = DefaultPathProbes.addresses(family).first else { continue }
            let questions = uplinks.map {
                RouteQuestion(destination: probe, interface: $0.index, mark: mark, wantsTableEntry: true)
            }
            let entries = zip(uplinks, routeLookup.ask(questions)).filter { _, entry in
                entry.error == 0 && entry.prefixLength <= DefaultPathProbes.longestPrefix(family)
            }
            if let best = entries.min(by: { $0.1.metric < $1.1.metric }) { return best.0 }
        }
        return nil
    }
}

/// The addresses by which a family's default path is found: spread over the address space, so that halves of it in
/// different routes (OpenVPN's 0/1 and 128/1) and policy rules are seen. Nothing is ever sent to them.
enum DefaultPathProbes {
    static let ipv4 = [0x0808_0808, 0xd043_dede, 0x0101_0101, 0xc100_0e81, 0x5db8_d822, 0x8efb_0001]
        .map { IPAddress(ipv4: $0) }

    static let ipv6 = [
        (0x2001_4860_4860_0000, 0x8888), (0x2606_4700_4700_0000, 0x1111), (0x2a00_1450_4001_0800, 0x2003),
        (0x3fff_0f00_0000_0000, 0x0001),
    ].map { IPAddress(ipv6High: $0.0, low: $0.1) }

    /// The probes of a family.
    static func addresses(_ family: AddressFamily) -> [IPAddress] {
        family == .ipv4 ? ipv4 : ipv6
    }

    /// The longest prefix that still counts as a default route.
    static func longestPrefix(_ family: AddressFamily) -> UInt8 {
        family == .ipv4 ? 1 : 3
    }
}
