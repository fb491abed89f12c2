// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import Probing
import Testing

@testable import Monitoring

@Suite("The role of an offender")
struct OffenderTests {
    private func role(_ sender: String, hopLimit: UInt8?, gateway: String?) throws -> Offender.Role? {
        let message = PacketError.Message(
            family: .ipv6,
            type: 1,
            code: 0,
            offender: IPAddress(sender),
            hopLimit: hopLimit
        )
        let local = try #require(IPAddress("2001:db8:1::2"))
        let peer = try #require(IPAddress("2001:db8:9::1"))
        let error = PacketError(systemError: EHOSTUNREACH, message: message, local: local, peer: peer)
        return Offender(error, gateway: gateway.flatMap { IPAddress($0) })?.role
    }

    @Test("A gateway that is known by its link-local address is a neighbour; farther senders are routers")
    func roles() throws {
        #expect(try role("2001:db8:1::1", hopLimit: 64, gateway: "fe80::1") == .gateway)
        #expect(try role("2001:db8:1::1", hopLimit: 255, gateway: "fe80::1") == .gateway)
        #expect(try role("2001:db8:2::1", hopLimit: 63, gateway: "fe80::1") == .router)
        #expect(try role("2001:db8:1::1", hopLimit: nil, gateway: "2001:db8:1::1") == .gateway)
        #expect(try role("2001:db8:1::1", hopLimit: nil, gateway: "fe80::1") == .router)
        #expect(try role("2001:db8:1::1", hopLimit: 64, gateway: nil) == .router, "the target is on the link")
        #expect(try role("2001:db8:9::1", hopLimit: 64, gateway: "fe80::1") == .target)
        #expect(try role("2001:db8:1::2", hopLimit: 64, gateway: "fe80::1") == .thisMachine)
    }
}
