// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Testing

struct AddressTests {
    @Test(
        "text to address and back",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("2001:DB8:0::1", "2001:db8::1"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("::", "::"), ("0.0.0.0", "0.0.0.0"),
        ]
    )
    func literals(text: String, canonical: String) {
        #expect(IPAddress(text)?.description == canonical)
    }

    @Test("invalid addresses", arguments: ["", "192.0.2", "192.0.2.1:80", "[::1]", "fe80::1%lo", "host"])
    func refused(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("kinds of addresses")
    func kinds() throws {
        func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }
        #expect(try address("127.9.9.9").isLoopback && address("::1").isLoopback)
        #expect(try !address("128.0.0.1").isLoopback && !address("::2").isLoopback)
        #expect(try address("169.254.1.1").isLinkLocal && address("febf::1").isLinkLocal)
        #expect(try !address("fec0::1").isLinkLocal)
        #expect(try address("224.0.0.1").isMulticast && address("ff02::1").isMulticast)
        #expect(try address("fe80::1").needsInterface && !address("169.254.1.1").needsInterface)
        #expect(try address("::").isUnspecified && !address("::1").isUnspecified)
        #expect(try address("255.255.255.255") < address("::"))
    }

    @Test(
        "a block clears its host bits and knows its ends",
        arguments: [
            ("10.1.2.3/8", "10.0.0.0/8", "10.255.255.255"), ("0.0.0.0/0", "0.0.0.0/0", "255.255.255.255"),
            ("192.0.2.7", "192.0.2.7/32", "192.0.2.7"),
            ("2001:db8::1/32", "2001:db8::/32", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("2001:db8::ff/124", "2001:db8::f0/124", "2001:db8::ff"),
            ("::/0", "::/0", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ]
    )
    func blocks(text: String, canonical: String, last: String) throws {
        let prefix = try #require(IPPrefix(text))
        #expect(prefix.description == canonical)
        #expect(prefix.last.description == last)
        #expect(prefix.contains(prefix.address) && prefix.contains(prefix.last))
        #expect(!prefix.contains(try #require(IPAddress(prefix.address.family == .ipv4 ? "::1" : "192.0.2.1"))))
    }

    @Test("invalid prefixes", arguments: ["10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "::/129", "/8", "10.0.0.0/"])
    func refusedBlocks(text: String) {
        #expect(IPPrefix(text) == nil)
    }

    @Test("the form of the socket calls and back", arguments: ["192.0.2.1", "2001:db8::1", "fe80::1%1", "::1%lo"])
    func socketAddress(text: String) throws {
        let socket = try #require(SocketAddress(text))
        let read = unsafe socket.withBytes { unsafe SocketAddress.address(in: $0) }
        #expect(read == IPAddress(String(text.prefix { $0 != "%" })))
        let length = unsafe socket.withPointer { _, length in length }
        #expect(length == (read?.family == .ipv4 ? 16 : 28))
    }

    @Test(
        "a scope names an interface of this machine",
        arguments: ["fe80::1%", "fe80::1%0", "192.0.2.1%lo", "fe80::1%none0"]
    )
    func refusedScopes(text: String) {
        #expect(SocketAddress(text) == nil)
    }
}
