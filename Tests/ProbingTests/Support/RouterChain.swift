// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import TestSupport

/// A machine, six routers and a server in a row, each in a namespace of its own, with the kernel's rate limits for ICMP.
///
/// Link N leads from machine N - 1, which has 198.18.N.1 and 2001:db8:N::1 there, to machine N, which has the addresses
/// that end in 2.
final class RouterChain: Sendable {
    static let routers = 6

    /// The machine that traces, the routers, the server.
    let nodes: [NetworkNamespace]
    var client: NetworkNamespace { nodes[0] }
    var server: NetworkNamespace { nodes[Self.routers + 1] }

    init() throws {
        nodes = try (0...(Self.routers + 1)).map { _ in try NetworkNamespace() }
        for node in nodes {
            try node.sysctl("net.ipv4.ip_forward", "1")
            try node.sysctl("net.ipv6.conf.all.forwarding", "1")
        }
        for (index, node) in nodes.enumerated() {
            var lines = ["link set lo up"]
            if index > 0 {
                lines += [
                    "addr add 198.18.\(index).2/24 dev back", "addr add 2001:db8:\(index)::2/64 dev back nodad",
                    "link set back up",
                    // The first neighbour solicitations of a new link may be lost, for a second.
                    "neigh add 198.18.\(index).1 lladdr 02:00:00:00:00:01 dev back",
                    "neigh add 2001:db8:\(index)::1 lladdr 02:00:00:00:00:01 dev back",
                ]
            }
            if index < nodes.count - 1 {
                let next = index + 1
                lines += [
                    "link add ahead address 02:00:00:00:00:01 type veth peer name back address 02:00:00:00:00:02 netns "
                        + nodes[next].name,
                    "addr add 198.18.\(next).1/24 dev ahead", "addr add 2001:db8:\(next)::1/64 dev ahead nodad",
                    "link set ahead up",
                    "neigh add 198.18.\(next).2 lladdr 02:00:00:00:00:02 dev ahead",
                    "neigh add 2001:db8:\(next)::2 lladdr 02:00:00:00:00:02 dev ahead",
                    "route add default via 198.18.\(next).2",
                    "-6 route add default via 2001:db8:\(next)::2 dev ahead",
                ]
            }
            if index > 1 {
                lines += [
                    "route add 198.18.1.0/24 via 198.18.\(index).1",
                    "-6 route add 2001:db8:1::/64 via 2001:db8:\(index)::1 dev back",
                ]
            }
            for line in lines { try node.ip(line) }
        }
    }

    /// Makes a chain for a body, with a tracer on the first machine.
    static func with(_ body: (RouterChain, TraceBench) async throws -> Void) async throws {
        let chain = try RouterChain()
        defer { for node in chain.nodes { node.remove() } }
        let bench = try TraceBench(prologue: chain.client.prologue)
        defer { bench.close() }
        try await body(chain, bench)
    }

    /// Adds a router beside router 4, number 8, on a second path of equal cost between routers 3 and 5; flows are spread by their ports.
    ///
    /// - Returns: The router's namespace; its owner removes it.
    func split() throws -> NetworkNamespace {
        let twin = try NetworkNamespace()
        for name in ["net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding"] { try twin.sysctl(name, "1") }
        // By addresses, protocol, ports and IPv6 flow label. The usual policy takes the hash that the sender's socket left in a packet,
        // which no cable transports.
        for family in ["ipv4", "ipv6"] {
            try nodes[3].sysctl("net.\(family).fib_multipath_hash_policy", "3")
            try nodes[3].sysctl("net.\(family).fib_multipath_hash_fields", "63")
        }
        try twin.ip("link set lo up")
        for (near, far, link) in [(nodes[3], twin, 8), (twin, nodes[5], 9)] {
            try near.ip(
                "link add aside\(link) address 02:00:00:00:00:01 type veth peer name back\(link) address 02:00:00:00:00:02 netns "
                    + far.name
            )
            for (node, name, end) in [(near, "aside", 1), (far, "back", 2)] {
                let device = "\(name)\(link)"
                try node.ip("addr add 198.18.\(link).\(end)/24 dev \(device)")
                try node.ip("addr add 2001:db8:\(link)::\(end)/64 dev \(device) nodad")
                try node.ip("link set \(device) up")
                for prefix in ["198.18.\(link).", "2001:db8:\(link)::"] {
                    try node.ip("neigh add \(prefix)\(3 - end) lladdr 02:00:00:00:00:0\(3 - end) dev \(device)")
                }
            }
        }
        try twin.ip("route add default via 198.18.9.2")
        try twin.ip("-6 route add default via 2001:db8:9::2")
        try twin.ip("route add 198.18.1.0/24 via 198.18.8.1")
        try twin.ip("-6 route add 2001:db8:1::/64 via 2001:db8:8::1")
        try nodes[3].ip("route replace default nexthop via 198.18.4.2 nexthop via 198.18.8.2")
        try nodes[3].ip(
            "-6 route replace default nexthop via 2001:db8:4::2 dev ahead nexthop via 2001:db8:8::2 dev aside8"
        )
        return twin
    }

    /// Accepts connections on the server, to all its addresses, while the descriptor exists.
    func listen(on port: UInt16) throws -> OwnedDescriptor {
        try server.run {
            let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let descriptor = OwnedDescriptor(owning: try systemCall("socket") { socket(AF_INET6, flags, 0) })
            let name = SocketAddress(IPAddress(ipv6High: 0, low: 0), port: port)
            try systemCall("bind") { unsafe name.withPointer { unsafe bind(descriptor.number, $0, $1) } }
            try systemCall("listen") { Glibc.listen(descriptor.number, 64) }
            return descriptor
        }
    }

    /// Adds a rule to the packets that a machine forwards, in the words of nft(8).
    func filter(_ rule: String, on node: Int) throws {
        try nodes[node].exec("nft add table inet way")
        try nodes[node].exec("nft add chain inet way forward { type filter hook forward priority 0 ; }")
        try nodes[node].exec("nft add rule inet way forward \(rule)")
    }

    /// The address with which machine N answers: that of its link to the machine before.
    static func address(_ family: AddressFamily, of node: Int) -> IPAddress {
        switch family {
        case .ipv4: IPAddress(ipv4: 0xC612_0002 + UInt32(node) << 8)
        case .ipv6: IPAddress(ipv6High: 0x2001_0DB8_0000_0000 + UInt64(node) << 16, low: 2)
        }
    }

    /// The addresses of the routers and the server, in order.
    static func path(_ family: AddressFamily, through last: Int = routers + 1) -> [IPAddress] {
        (1...last).map { address(family, of: $0) }
    }
}
