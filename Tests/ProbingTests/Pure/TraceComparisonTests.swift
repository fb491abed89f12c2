// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Testing

@testable import Probing

@Suite struct TraceComparisonTests {
    /// A trace whose hops have the last numbers of 203.0.113.0/24; 0 for a silent hop.
    private func trace(_ path: [UInt32], _ end: TraceResult.End) -> TraceResult {
        TraceResult(
            request: TraceRequest(destination: IPAddress(ipv4: 0xCB00_71FF), method: .icmp),
            hops: path.enumerated().map { index, number in
                let addresses = number == 0 ? [] : [IPAddress(ipv4: 0xCB00_7100 + number)]
                return TraceHop(number: index + 1, addresses: addresses, sent: 3)
            },
            end: end,
            duration: .zero,
            packetsSent: 0,
            isOneFlow: true
        )
    }

    private func compare(_ good: [UInt32], _ failed: [UInt32], _ end: TraceResult.End = .silent) -> TraceComparison {
        TraceComparison(good: trace(good, .reached), failed: trace(failed, end))
    }

    @Test("Where packets stop, and what the earlier route led on to") func stops() {
        let result = compare([1, 2, 3, 4, 255], [1, 2, 3])
        #expect(result.lastCommon == TraceComparison.Position(address: IPAddress(ipv4: 0xCB00_7103), hop: 3))
        #expect(result.next?.address == IPAddress(ipv4: 0xCB00_7104))
        #expect(!result.isRouteChanged && result.firstDifference == nil)
        #expect(result.description == "stops behind 203.0.113.3 (hop 3), which led on to 203.0.113.4")
    }

    @Test("Silent hops are passed over on both routes") func silentHops() {
        let result = compare([1, 0, 3, 0, 5, 255], [1, 2, 3, 0, 0])
        #expect(!result.isRouteChanged)
        #expect(result.description == "stops behind 203.0.113.3 (hop 3), which led on to 203.0.113.5 (hop 5)")
        #expect(compare([0, 2, 255], []).description.hasSuffix("the earlier route began with 203.0.113.2 (hop 2)"))
    }

    @Test("Another route from a hop") func changed() {
        let result = compare([1, 2, 3, 255], [1, 2, 9, 10])
        #expect(result.firstDifference == 3 && result.isRouteChanged)
        #expect(result.lastCommon?.hop == 2 && result.lastAnswering?.hop == 4)
        #expect(
            result.description
                == "stops behind 203.0.113.10 (hop 4), 203.0.113.2 (hop 2) led on to 203.0.113.3, the route differs from "
                + "hop 3"
        )
    }

    @Test("A longer way that comes back to the earlier route") func detour() {
        let result = compare([1, 2, 3, 4, 255], [1, 8, 9, 3])
        #expect(result.firstDifference == 2 && result.lastCommon?.hop == 4)
        #expect(result.description == "stops behind 203.0.113.3 (hop 4), which led on to 203.0.113.4")
    }

    @Test("A trace whose last hop that was asked answers shows no end") func cutOff() {
        var request = TraceRequest(destination: IPAddress(ipv4: 0xCB00_71FF), method: .icmp)
        #expect(request.maximumHops == 64, "as far as packets with the usual TTL come")
        func result(_ path: [UInt32]) -> TraceResult {
            TraceResult(
                request: request,
                hops: trace(path, .silent).hops,
                end: .silent,
                duration: .zero,
                packetsSent: 0,
                isOneFlow: true
            )
        }
        request.maximumHops = 3
        let failed = result([1, 2, 3])
        #expect(failed.isCutOff && !result([1, 2]).isCutOff && !result([]).isCutOff)
        #expect(failed.detail == "203.0.113.3 (hop 3) answers, and no hop behind it was asked")
        let comparison = TraceComparison(good: trace([1, 2, 3, 255], .reached), failed: failed)
        #expect(comparison.description == "was not traced beyond 203.0.113.3 (hop 3), which led on to 203.0.113.255")
        request.maximumHops = 6
        #expect(!result([1, 2, 3, 2, 3, 2]).isCutOff, "a loop")
    }

    @Test("A loop") func loop() {
        let result = compare([1, 2, 3, 4, 255], [1, 2, 3, 2, 3, 2])
        #expect(result.loop.map { "\($0)" } == ["203.0.113.2", "203.0.113.3"])
        #expect(
            result.description
                == "loops between 203.0.113.2 and 203.0.113.3, 203.0.113.3 (hop 3) led on to 203.0.113.4"
        )
    }

    @Test("A router's refusal, and a fault of this machine") func refusals() throws {
        func error(from offender: UInt32) -> TraceResult.End {
            let message = PacketError.Message(
                family: .ipv4,
                type: 3,
                code: 13,
                offender: IPAddress(ipv4: 0xCB00_7100 + offender)
            )
            return .error(
                PacketError(systemError: 113, message: message, local: nil, peer: IPAddress(ipv4: 0xCB00_71FF))
            )
        }
        #expect(
            compare([1, 2, 3, 255], [1, 2], error(from: 2)).description
                == "refused by 203.0.113.2 (hop 2), which led on to 203.0.113.3"
        )
        #expect(
            compare([1, 2, 255], [], error(from: 77)).description
                == "refused by 203.0.113.77, the earlier route began with 203.0.113.1"
        )
        let fault = ProbeFault(reason: .networkUnreachable, detail: "connect: Network is unreachable")
        #expect(compare([1, 255], [], .fault(fault)).description == "not traced: connect: Network is unreachable")
    }

    @Test("Nothing in common, nothing known, and a destination that is reached") func extremes() {
        let nobody = compare([1, 2, 255], [])
        #expect(nobody.lastCommon == nil && nobody.lastAnswering == nil)
        #expect(
            nobody.description == "stops before the first router that answers, the earlier route began with 203.0.113.1"
        )
        #expect(compare([], []).description == "stops before the first router that answers")
        let other = compare([1, 2, 255], [7, 8])
        #expect(other.lastCommon == nil && other.firstDifference == 1)
        #expect(
            other.description
                == "stops behind 203.0.113.8 (hop 2), the earlier route began with 203.0.113.1"
        )
        #expect(compare([1, 255], [1, 255], .reached).description == "reaches the destination by the same route")
        #expect(
            compare([1, 2, 255], [1, 3, 255], .refused(nil)).description
                == "reaches the destination by another route from hop 2"
        )
    }
}
