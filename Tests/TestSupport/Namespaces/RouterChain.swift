// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Routers in a row behind the gateway of a ``Testbed``, and a host behind the last one, with IPv4 and IPv6.
///
/// Router 1 is the testbed's peer, 192.0.2.1. Router *k* answers as 10.0.*k*.2 and 2001:db8:*k*::2, the host as
/// ``address4`` and ``address6``.
package final class RouterChain: Sendable {
    /// The routers, the gateway first.
    package let routers: [NetworkNamespace]
    /// The host behind the last router.
    package let host: NetworkNamespace
    /// The addresses with which router *k* reports errors, at index *k* - 1.
    package let addresses4: [String]
    /// As ``addresses4``, of IPv6.
    package let addresses6: [String]
    /// The host's address.
    package var address4: String { "10.0.\(routers.count + 1).2" }
    /// The host's address.
    package var address6: String { "2001:db8:\(routers.count + 1)::2" }

    /// Makes the routers behind the gateway of a testbed whose `base()` was called, all links up and all routes set.
    package init(_ count: Int, behind testbed: Testbed) throws {
        let others = try (0..<count).map { _ in try NetworkNamespace() }
        routers = [testbed.peer] + others.dropLast()
        host = others[count - 1]
        addresses4 = ["192.0.2.1"] + (2..<(count + 1)).map { "10.0.\($0).2" }
        addresses6 = ["2001:db8:1::1"] + (2..<(count + 1)).map { "2001:db8:\($0)::2" }
        try testbed.p("link set lo up;addr add 192.0.2.1/24 dev p0;addr add 2001:db8:1::1/64 dev p0 nodad")
        let all = routers + [host]
        for namespace in all {
            try namespace.sysctl("net.ipv4.ip_forward", "1")
            try namespace.sysctl("net.ipv6.conf.all.forwarding", "1")
            // The routers' limits of ICMP errors would make answers depend on the other tests' pace.
            try namespace.sysctl("net.ipv4.icmp_ratemask", "0")
            try namespace.sysctl("net.ipv6.icmp.ratelimit", "0")
        }
        // Cable k connects router k with router k + 1, or with the host.
        for cable in 2...(count + 1) {
            let (near, far) = (all[cable - 2], all[cable - 1])
            try near.ip("link add d\(cable) type veth peer name u\(cable) netns \(far.name)")
            try near.ip("addr add 10.0.\(cable).1/24 dev d\(cable)")
            try near.ip("addr add 2001:db8:\(cable)::1/64 dev d\(cable) nodad")
            try far.ip("addr add 10.0.\(cable).2/24 dev u\(cable)")
            try far.ip("addr add 2001:db8:\(cable)::2/64 dev u\(cable) nodad")
            try far.ip("link set lo up")
            try far.ip("link set u\(cable) up")
            try near.ip("link set d\(cable) up")
            try far.ip("route add 192.0.2.0/24 via 10.0.\(cable).1")
            try far.ip("-6 route add 2001:db8:1::/64 via 2001:db8:\(cable)::1")
        }
        for index in routers.indices {
            try routers[index].ip("route replace 10.0.\(count + 1).0/24 \(onward(index, ".", count))")
            try routers[index].ip("-6 route replace 2001:db8:\(count + 1)::/64 \(onward(index, ":", count))")
        }
    }

    /// The next hop of router `index` + 1 to the host's network.
    private func onward(_ index: Int, _ family: Character, _ count: Int) -> String {
        let cable = index + 2
        guard index < count - 1 else { return "dev d\(cable)" }
        return family == "." ? "via 10.0.\(cable).2" : "via 2001:db8:\(cable)::2"
    }

    /// Replaces the route of a router to the host, in one step: `prohibit`, `unreachable`, `blackhole`, or `via ADDRESS`; "" for
    /// no route.
    ///
    /// - Parameter number: Of the router, from 1.
    package func route(_ number: Int, _ four: String, _ six: String) throws {
        let router = routers[number - 1]
        let (network4, network6) = ("10.0.\(routers.count + 1).0/24", "2001:db8:\(routers.count + 1)::/64")
        func words(_ route: String, _ prefix: String) -> String {
            route.hasPrefix("via") || route.hasPrefix("dev") ? "\(prefix) \(route)" : "\(route) \(prefix)"
        }
        if four.isEmpty {
            try router.ip("route del \(network4)")
        } else {
            try router.ip("route replace " + words(four, network4))
        }
        if !six.isEmpty { try router.ip("-6 route replace " + words(six, network6)) }
        // The last router has the connected route besides, which precedes the other one.
        let connected = six.isEmpty ? network6 : "\(network6) proto kernel"
        while (try? router.ip("-6 route del \(connected)")) != nil {}
    }

    /// Restores the route of a router to the host.
    package func restore(_ number: Int) throws {
        _ = try? routers[number - 1].ip("route del 10.0.\(routers.count + 1).0/24")
        _ = try? routers[number - 1].ip("-6 route del 2001:db8:\(routers.count + 1)::/64")
        try routers[number - 1].ip("route add 10.0.\(routers.count + 1).0/24 \(onward(number - 1, ".", routers.count))")
        try routers[number - 1].ip(
            "-6 route add 2001:db8:\(routers.count + 1)::/64 \(onward(number - 1, ":", routers.count))"
        )
    }

    /// Has a router's firewall reject what it should forward to the host: `admin-prohibited`, `no-route`, `host-unreachable` or
    /// `port-unreachable`, nft(8).
    package func reject(_ number: Int, _ message: String) throws {
        let router = routers[number - 1]
        try router.exec("nft add table inet path")
        try router.exec("nft add chain inet path forward { type filter hook forward priority 0 ; }")
        let network = routers.count + 1
        for match in ["ip daddr 10.0.\(network).2", "ip6 daddr 2001:db8:\(network)::2"] {
            try router.exec("nft add rule inet path forward \(match) reject with icmpx type \(message)")
        }
    }

    /// Ends ``reject(_:_:)``.
    package func accept(_ number: Int) throws {
        try routers[number - 1].exec("nft delete table inet path")
    }

    /// Gives the link behind a router an MTU of 1,280 and drops all reports of packets that are too big. Behind the last
    /// router only packets to the host are limited.
    package func limit(_ number: Int) throws {
        try dropTooBigReports()
        try routers[number - 1].ip("link set d\(number + 1) mtu 1280")
        if number < routers.count { try routers[number].ip("link set u\(number + 1) mtu 1280") }
    }

    /// Ends ``limit(_:)``; reports stay dropped.
    package func unlimit(_ number: Int) throws {
        try routers[number - 1].ip("link set d\(number + 1) mtu 1500")
        if number < routers.count { try routers[number].ip("link set u\(number + 1) mtu 1500") }
    }

    /// Limits what a router, from the second on, sends back towards the testbed to packets of 1,280 bytes, and drops all
    /// reports of packets that are too big.
    package func limitReturn(_ number: Int) throws {
        try dropTooBigReports()
        try routers[number - 1].ip("route replace 192.0.2.0/24 via 10.0.\(number).1 mtu lock 1280")
        try routers[number - 1].ip("-6 route replace 2001:db8:1::/64 via 2001:db8:\(number)::1 mtu lock 1280")
    }

    private func dropTooBigReports() throws {
        for router in routers {
            try router.exec("nft add table inet reports")
            try router.exec("nft add chain inet reports output { type filter hook output priority 0 ; }")
            try router.exec("nft add rule inet reports output icmp type 3 icmp code 4 drop")
            try router.exec("nft add rule inet reports output icmpv6 type packet-too-big drop")
        }
    }

    /// Removes the namespaces, but for the testbed's; a second call does nothing.
    package func remove() {
        for namespace in routers.dropFirst() { namespace.remove() }
        host.remove()
    }
}
