// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A network of a test's own: a namespace to judge paths in and a peer at the far end of its cables.
///
/// The addresses and commands are those of linux-paths.md section 10.
package final class Testbed: Sendable {
    /// The namespace that is looked at.
    package let namespace: NetworkNamespace
    /// The far end.
    package let peer: NetworkNamespace

    /// Makes two empty namespaces, nothing up in either.
    package init() throws {
        namespace = try NetworkNamespace()
        peer = try NetworkNamespace()
    }

    /// Makes a testbed for a body and removes it when the body ended, however it ended.
    ///
    /// Only a few exist at a time: Swift Testing starts all cases of a test at once, and the machine has 128 inotify
    /// instances for all of a user's programs.
    package static func with<Value>(_ body: (Testbed) async throws -> Value) async throws -> Value {
        await gate.enter()
        defer { gate.leave() }
        let testbed = try Testbed()
        defer { testbed.remove() }
        return try await body(testbed)
    }

    private static let gate = Gate(width: 8)

    /// Removes both namespaces; a second call does nothing.
    package func remove() {
        namespace.remove()
        peer.remove()
    }

    /// Runs `ip` in the namespace that is looked at; several commands are separated by `;`.
    package func i(_ commands: String) throws {
        for command in commands.split(separator: ";") { try namespace.ip(String(command)) }
    }

    /// Runs `ip` in the peer; several commands are separated by `;`.
    package func p(_ commands: String) throws {
        for command in commands.split(separator: ";") { try peer.ip(String(command)) }
    }

    /// One wired uplink, eth0, with IPv4 and IPv6 and a default route for each.
    package func base() throws {
        try i(
            """
            link set lo up;link add eth0 type veth peer name p0 netns \(peer.name);\
            addr add 192.0.2.2/24 dev eth0;addr add 2001:db8:1::2/64 dev eth0 nodad;link set eth0 up
            """
        )
        try p("link set p0 up")
        try i("route add default via 192.0.2.1;-6 route add default via 2001:db8:1::1 dev eth0")
    }

    /// A second cable, eth1, with 198.18.0.2/24 and no default route.
    package func second() throws {
        try i(
            """
            link add eth1 type veth peer name p1 netns \(peer.name);\
            addr add 198.18.0.2/24 dev eth1;link set eth1 up
            """
        )
        try p("link set p1 up")
    }
}
