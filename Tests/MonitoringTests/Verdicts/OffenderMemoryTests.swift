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

@Suite("The memory of routers' reports")
struct OffenderMemoryTests {
    private static let peer = IPAddress(ipv4: 0xC633_6401)

    private static func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    private static func diagnosis(_ reason: ProbeReason, code: UInt8, from: UInt32 = 0xCB00_7102) -> Diagnosis {
        let message = PacketError.Message(
            family: .ipv4,
            type: 3,
            code: code,
            offender: IPAddress(ipv4: from),
            hopLimit: 62
        )
        let error = PacketError(
            systemError: EHOSTUNREACH,
            message: message,
            local: IPAddress(ipv4: 0xC000_0202),
            peer: peer
        )
        let offender = Offender(error, gateway: IPAddress(ipv4: 0xC000_0201))
        return Diagnosis(reason: reason, detail: "says", rule: .routerRejects, offender: offender)
    }

    @Test("A report explains the timeouts of a minute, and not those after an answer")
    func age() {
        var memory = OffenderMemory()
        let report = Self.diagnosis(.prohibited, code: 13)
        memory.store(report, of: 1, address: Self.peer, at: Self.at(1_000))
        #expect(memory.diagnosis(of: 1, address: Self.peer, at: Self.at(61_000)) == report)
        #expect(memory.diagnosis(of: 1, address: Self.peer, at: Self.at(61_001)) == nil)
        #expect(memory.diagnosis(of: 1, address: Self.peer, at: Self.at(999)) == nil, "the clock was set back")
        memory.remove(1, address: Self.peer)
        #expect(memory.diagnosis(of: 1, address: Self.peer, at: Self.at(2_000)) == nil && memory.count == 0)
    }

    @Test("Targets at one address share reports about routing, and not a firewall's", arguments: [false, true])
    func sharing(isFirewall: Bool) {
        var memory = OffenderMemory()
        let report = isFirewall ? Self.diagnosis(.prohibited, code: 13) : Self.diagnosis(.networkUnreachable, code: 0)
        memory.store(report, of: 1, address: Self.peer, at: Self.at(0))
        #expect(memory.diagnosis(of: 2, address: Self.peer, at: Self.at(1)) == (isFirewall ? nil : report))
        #expect(memory.diagnosis(of: 2, address: IPAddress(ipv4: 1), at: Self.at(1)) == nil)
        #expect(memory.diagnosis(of: 2, address: nil, at: Self.at(1)) == nil)
        // An answer of the address ends it for all of them.
        memory.remove(2, address: Self.peer)
        #expect(memory.diagnosis(of: 3, address: Self.peer, at: Self.at(1)) == nil)
    }

    @Test("Another router takes over after three consecutive reports, at once with another reason")
    func takeover() {
        var memory = OffenderMemory()
        let first = Self.diagnosis(.prohibited, code: 13)
        let second = Self.diagnosis(.prohibited, code: 13, from: 0xCB00_7103)
        func store(_ diagnosis: Diagnosis) -> Diagnosis {
            memory.store(diagnosis, of: 1, address: Self.peer, at: Self.at(0))
        }
        #expect(store(first) == first)
        for _ in 0..<5 {
            #expect(store(second) == first && store(second) == first)
            #expect(store(first) == first)
        }
        #expect(store(second) == first && store(second) == first && store(second) == second)
        #expect(store(first) == second)
        let third = Self.diagnosis(.networkUnreachable, code: 0)
        #expect(store(third) == third)
    }

    @Test("Reports of this machine and of the target itself are not kept")
    func others() {
        var memory = OffenderMemory()
        memory.store(
            Self.diagnosis(.hostUnreachable, code: 1, from: 0xC000_0202),
            of: 1,
            address: Self.peer,
            at: Self.at(0)
        )
        memory.store(
            Self.diagnosis(.prohibited, code: 10, from: 0xC633_6401),
            of: 1,
            address: Self.peer,
            at: Self.at(0)
        )
        memory.store(Diagnosis(reason: .timeout, detail: "", rule: .noAnswer), of: 1, address: nil, at: Self.at(0))
        #expect(memory.count == 0)
    }

    @Test("Old reports make room: the memory holds those of a minute")
    func bound() {
        var memory = OffenderMemory()
        let report = Self.diagnosis(.prohibited, code: 13)
        for ordinal in 0..<UInt64(100_000) {
            memory.store(report, of: ordinal, address: nil, at: Self.at(Int64(ordinal) * 1_000))
            #expect(memory.count <= OffenderMemory.pruneAbove)
        }
    }
}
