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

    @Test("From the own address: what a firewall rejects with, not a neighbour's silence", arguments: 0...15)
    func own(_ code: Int) throws {
        let isFour = try error(.ipv4, UInt8(code), from: "192.0.2.2").isRefusedHere
        #expect(isFour == [0, 2, 3, 9, 10, 13].contains(code))
        let isSix = try error(.ipv6, UInt8(code), from: "2001:db8::2").isRefusedHere
        #expect(isSix == [0, 1, 4, 5, 6].contains(code))
        #expect(try !error(.ipv4, UInt8(code), from: "192.0.2.2", to: "192.0.2.2").isRefusedHere, "its own port")
        #expect(try !error(.ipv4, UInt8(code), from: nil).isRefusedHere)
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
