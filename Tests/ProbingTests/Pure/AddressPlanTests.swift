// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Testing

@testable import Probing

@Suite struct AddressPlanTests {
    static let four = IPAddress(ipv4: 0x7F00_0001)
    static let five = IPAddress(ipv4: 0x7F00_0002)
    static let six = IPAddress(ipv6High: 0, low: 1)

    func request(_ family: ProbeFamily, _ addresses: AddressChoice = .first) -> ProbeRequest {
        ProbeRequest(
            host: .name("example.test"),
            kind: .tcp(TCPProbeSettings(port: 1)),
            family: family,
            addresses: addresses
        )
    }

    @Test(arguments: [
        (ProbeFamily.any, AddressChoice.first, [[four]]), (.any, .any, [[four, five, six]]),
        (.any, .all, [[four], [five], [six]]), (.ipv4, .all, [[four], [five]]), (.ipv6, .first, [[six]]),
        (.both, .first, [[four], [six]]), (.both, .any, [[four, five], [six]]),
        (.both, .all, [[four], [five], [six]]),
    ])
    func lanes(_ row: (family: ProbeFamily, choice: AddressChoice, lanes: [[IPAddress]])) throws {
        let plan = try AddressPlan([Self.four, Self.five, Self.six], for: request(row.family, row.choice))
        #expect(plan.lanes == row.lanes)
        #expect(plan.missing == nil)
    }

    @Test func missingFamily() throws {
        #expect(try AddressPlan([Self.four], for: request(.both)).missing == .ipv6)
        #expect(throws: ProbeFault.self) { try AddressPlan([Self.four], for: request(.ipv6)) }
        #expect(throws: ProbeFault.self) { try AddressPlan([], for: request(.any)) }
    }

    @Test("The source's family is the only one") func source() throws {
        var request = request(.any)
        request.source = Self.six
        #expect(try AddressPlan([Self.four, Self.six], for: request).lanes == [[Self.six]])
    }

    @Test("With reachable: false each address is probed") func turnedRound() throws {
        var request = request(.any, .any)
        request.expectsFailure = true
        #expect(try AddressPlan([Self.four, Self.five], for: request).lanes == [[Self.four], [Self.five]])
    }

    @Test("A thousand addresses: sixty-four are probed") func limit() throws {
        let many = (0..<1_000).map { IPAddress(ipv4: 0x7F00_0001 + $0) }
        let plan = try AddressPlan(many, for: request(.any, .all))
        #expect(plan.lanes.count == 64)
        #expect(plan.leftOut == 936)
        #expect(try AddressPlan(many, for: request(.any, .any)).lanes.map(\.count) == [64])
    }

    @Test("address_mismatch") func expected() throws {
        var request = request(.any)
        request.expectedAddresses = [IPPrefix(Self.four, length: 32)]
        #expect(throws: Never.self) { try AddressPlan([Self.four], for: request) }
        let fault = #expect(throws: ProbeFault.self) { try AddressPlan([Self.four, Self.five], for: request) }
        #expect(fault?.reason == .addressMismatch)
    }
}
