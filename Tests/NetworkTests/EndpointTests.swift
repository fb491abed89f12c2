// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import FoundationEssentials
import Network
import Testing

@Suite struct EndpointTests {
    @Test("Hosts are read as addresses first, then as names")
    func hosts() {
        #expect(NWEndpoint.Host("192.0.2.1") == .ipv4(IPv4Address("192.0.2.1")!))
        #expect(NWEndpoint.Host("2001:db8::1") == .ipv6(IPv6Address("2001:db8::1")!))
        #expect(("example.org" as NWEndpoint.Host) == .name("example.org", nil))
        #expect(NWEndpoint.Host("example.org").interface == nil)
    }

    @Test("Descriptions: IPv6 has a dot before the port, as in Apple's framework")
    func descriptions() {
        let ends: [NWEndpoint] = [
            .hostPort(host: "192.0.2.1", port: 443), .hostPort(host: "2001:db8::1", port: .https),
            .hostPort(host: "example.org", port: .http), .unix(path: "/run/x"),
            .service(name: "printer", type: "_ipp._tcp", domain: "local", interface: nil),
            .url(URL(string: "https://example.org/")!),
        ]
        #expect(
            ends.map { "\($0)" } == [
                "192.0.2.1:443", "2001:db8::1.443", "example.org:80", "/run/x", "printer._ipp._tcp.local",
                "https://example.org/",
            ]
        )
    }

    @Test("Addresses: bytes and text, there and back; nothing else is one")
    func addresses() throws {
        let four = try #require(IPv4Address("192.0.2.1"))
        #expect(Array(four.rawValue) == [192, 0, 2, 1])
        #expect(IPv4Address(four.rawValue) == four)
        let six = try #require(IPv6Address("2001:db8::102"))
        #expect(Array(six.rawValue.prefix(4)) == [0x20, 0x01, 0x0d, 0xb8] && six.rawValue.last == 2)
        #expect(IPv6Address(six.rawValue) == six)
        for text in ["", "192.0.2", "::ffff:192.0.2.1", "192.0.2.1 "] { #expect(IPv4Address(text) == nil) }
        for text in ["", "192.0.2.1", "fe80::1%eth0", "::g"] { #expect(IPv6Address(text) == nil) }
        #expect(IPv4Address(Data([1, 2, 3])) == nil && IPv6Address(Data(repeating: 0, count: 4)) == nil)
        let mapped = try #require(IPv6Address("::ffff:192.0.2.1"))
        #expect(mapped.isIPv4Mapped && mapped.asIPv4 == four && six.asIPv4 == nil)
    }

    @Test("The groups and special addresses")
    func special() {
        #expect(
            [IPv4Address.any, .broadcast, .loopback, .allHostsGroup, .allRoutersGroup, .allReportsGroup, .mdnsGroup]
                .map(\.debugDescription) == [
                    "0.0.0.0", "255.255.255.255", "127.0.0.1", "224.0.0.1", "224.0.0.2", "224.0.0.22", "224.0.0.251",
                ]
        )
        #expect(
            [IPv6Address.any, .loopback, .nodeLocalNodes, .linkLocalNodes, .linkLocalRouters].map(\.debugDescription)
                == ["::", "::1", "ff01::1", "ff02::1", "ff02::2"]
        )
        #expect(IPv4Address.loopback.isLoopback && IPv4Address.mdnsGroup.isMulticast)
        #expect(IPv6Address.any.isAny && IPv6Address.loopback.isLoopback && IPv6Address.linkLocalNodes.isMulticast)
        #expect(IPv4Address("169.254.0.1")!.isLinkLocal && IPv6Address("fe80::1")!.isLinkLocal)
    }

    @Test("Ports")
    func ports() {
        #expect(NWEndpoint.Port("443") == .https && NWEndpoint.Port(rawValue: 22) == .ssh && NWEndpoint.Port.any == 0)
        for text in ["", "-1", "65536", "x"] { #expect(NWEndpoint.Port(text) == nil) }
    }
}
