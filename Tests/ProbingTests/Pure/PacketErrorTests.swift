// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import Testing

@testable import Probing

/// Every code of the two messages "destination unreachable" from a router, and from this machine itself.
@Suite struct PacketErrorTests {
    private func error(
        _ family: AddressFamily,
        _ code: UInt8,
        from offender: String?,
        to peer: String? = nil
    ) throws -> PacketError {
        let isFour = family == .ipv4
        return PacketError(
            systemError: EHOSTUNREACH,
            message: PacketError.Message(
                family: family,
                type: isFour ? 3 : 1,
                code: code,
                offender: try offender.map { try #require(IPAddress($0)) }
            ),
            local: try #require(IPAddress(isFour ? "192.0.2.2" : "2001:db8::2")),
            peer: try #require(IPAddress(peer ?? (isFour ? "198.51.100.1" : "2001:db8:9::1")))
        )
    }

    @Test("prohibited: 9, 10 and 13 of ICMP, 1, 5 and 6 of ICMPv6, whatever the errno", arguments: 0...15)
    func prohibited(_ code: Int) throws {
        let four = try error(.ipv4, UInt8(code), from: "192.0.2.1")
        #expect((four.reason == .prohibited) == [9, 10, 13].contains(code))
        #expect(!four.isRefusedHere)
        let six = try error(.ipv6, UInt8(code), from: "2001:db8::1")
        #expect((six.reason == .prohibited) == [1, 5, 6].contains(code))
        #expect(!six.isRefusedHere)
    }

    @Test(
        "ICMP errors from the machine's own address are its firewall's, except for a silent neighbour",
        arguments: 0...15
    )
    func own(_ code: Int) throws {
        let isFour = try error(.ipv4, UInt8(code), from: "192.0.2.2").isRefusedHere
        #expect(isFour == [0, 2, 3, 9, 10, 13].contains(code))
        let isSix = try error(.ipv6, UInt8(code), from: "2001:db8::2").isRefusedHere
        #expect(isSix == [0, 1, 4, 5, 6].contains(code))
        #expect(try !error(.ipv4, UInt8(code), from: "192.0.2.2", to: "192.0.2.2").isRefusedHere, "its own port")
        #expect(try !error(.ipv4, UInt8(code), from: nil).isRefusedHere)
    }

    @Test("The sender is this machine, the target, or a router; unknown without an address") func senders() throws {
        #expect(try error(.ipv4, 1, from: "192.0.2.2").sender == .thisMachine)
        #expect(try error(.ipv4, 1, from: "198.51.100.1").sender == .target)
        #expect(try error(.ipv6, 3, from: "2001:db8:7::1").sender == .router)
        #expect(try error(.ipv4, 1, from: "192.0.2.2", to: "192.0.2.2").sender == .target)
        #expect(try error(.ipv4, 1, from: nil).sender == nil)
        #expect(PacketError(systemError: EHOSTUNREACH).sender == nil)
    }

    @Test("The distance follows from the received hop limit: 64, 128 or 255 is a neighbour's") func distances() {
        func hops(_ limit: UInt8?) -> Int? {
            PacketError.Message(family: .ipv4, type: 3, code: 1, offender: nil, hopLimit: limit).hops
        }
        #expect(hops(nil) == nil && hops(0) == nil)
        for start: UInt8 in [64, 128, 255] {
            #expect(hops(start) == 1)
            #expect(hops(start - 5) == 6)
        }
        #expect(hops(1) == 64)
    }

    @Test("The text names the sender, its distance, and the meaning; a hidden target's error names neither")
    func texts() throws {
        func text(_ from: String?, _ code: UInt8, hopLimit: UInt8?) throws -> String {
            let message = PacketError.Message(
                family: .ipv4,
                type: 3,
                code: code,
                offender: try from.map { try #require(IPAddress($0)) },
                hopLimit: hopLimit
            )
            let local = try #require(IPAddress("192.0.2.2"))
            let peer = try #require(IPAddress("198.51.100.1"))
            let error = PacketError(systemError: EHOSTUNREACH, message: message, local: local, peer: peer)
            #expect(error.withoutOffender.message?.offender == nil && error.withoutOffender.message?.hops == nil)
            #expect(error.withoutOffender.sender == error.sender)
            return ProbeFault(error, "connect: No route to host").detail
        }
        #expect(
            try text("203.0.113.2", 0, hopLimit: 62)
                == "203.0.113.2, 3 hops away, says: no route to the network (ICMP type 3, code 0)"
        )
        #expect(
            try text("203.0.113.2", 13, hopLimit: 64)
                == "203.0.113.2, a neighbour, says: a firewall prohibits the packet (ICMP type 3, code 13)"
        )
        #expect(
            try text("198.51.100.1", 10, hopLimit: 62)
                == "the target says: a firewall prohibits the packet (ICMP type 3, code 10)"
        )
        #expect(try text("198.51.100.1", 3, hopLimit: 62) == "connect: No route to host")
        #expect(
            try text("192.0.2.2", 1, hopLimit: nil)
                == "no neighbour answers at the next hop's address (connect: No route to host)"
        )
        #expect(try text(nil, 13, hopLimit: 60) == "a router or firewall prohibits the packet (ICMP type 3, code 13)")
    }

    @Test("Without ICMP the system call's error decides") func systemCalls() {
        for code in [EPERM, EACCES] {
            #expect(PacketError(systemError: code).isRefusedHere)
            #expect(PacketError(systemError: code).reason == .prohibited)
        }
        for code in [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT, EINVAL] {
            #expect(!PacketError(systemError: code).isRefusedHere)
            #expect(PacketError(systemError: code).reason == ErrnoReason.reason(of: code, at: .transfer))
        }
    }
}
