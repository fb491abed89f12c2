// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Testing

@testable import Probing

@Suite("The search for the largest packet that passes")
struct PathMTUSearchTests {
    private static let destination = IPAddress(ipv4: 0xC633_6401)

    private static func router(_ hop: Int) -> IPAddress { IPAddress(ipv4: 0x0A00_0000 + UInt32(hop)) }

    /// A path of links with an MTU each: link 1 leads to router 1, the last one to the destination.
    private struct Path {
        var links: [Int]
        /// The hops whose routers send no ICMP errors.
        var silent: Set<Int> = []
        var reports = false
        var answersEcho = true
        /// What becomes of packet n although it passes.
        var loses: (Int) -> Bool = { _ in false }
        var returnMTU = Int.max

        func answer(_ packet: PathMTUSearch.Packet) -> PathMTUSearch.Answer? {
            for (index, link) in links.enumerated() {
                // A router looks at the hop limit before the size.
                if packet.size > link { return reports ? .tooBig : nil }
                let hop = index + 1
                if hop == links.count { return answersEcho && packet.size <= returnMTU ? .reply : nil }
                if packet.hop == hop { return silent.contains(hop) ? nil : .exceeded(router(hop)) }
            }
            return nil
        }
    }

    private static func run(_ path: Path, small: Int = 576, full: Int = 1_500) -> (PathMTUSearch.Outcome, Int) {
        var search = PathMTUSearch(destination: destination, small: small, full: full)
        var count = 0
        for _ in 0..<100 {
            let packets = search.next()
            if packets.isEmpty { return (search.outcome, count) }
            for packet in packets {
                count += 1
                if !path.loses(count), let answer = path.answer(packet) { search.add(answer, to: packet) }
            }
        }
        Issue.record("the search does not end")
        return (search.outcome, count)
    }

    private static func limited(_ largest: Int, behind hop: Int, mayBeReturn: Bool = false) -> PathMTUSearch.Outcome {
        let next = mayBeReturn ? destination : router(hop + 1)
        return .limited(
            PathMTULimit(
                largest: largest,
                behind: hop == 0 ? nil : .init(address: router(hop), hop: hop),
                before: .init(address: next, hop: hop + 1),
                mayBeReturn: mayBeReturn
            )
        )
    }

    @Test("Each size at each hop is found exactly, in at most 160 packets", arguments: 1...6)
    func exact(hop: Int) {
        for size in [576, 577, 1_006, 1_280, 1_400, 1_420, 1_492, 1_499] {
            var links = Array(repeating: 1_500, count: 7)
            links[hop] = size
            let (outcome, packets) = Self.run(Path(links: links))
            #expect(outcome == Self.limited(size, behind: hop, mayBeReturn: hop == 6))
            #expect(packets <= 160)
        }
    }

    @Test("Jumbo frames: a switch that passes 1,500 bytes only")
    func jumbo() {
        #expect(Self.run(Path(links: [9_000, 1_500, 9_000]), full: 9_000).0 == Self.limited(1_500, behind: 1))
    }

    @Test("A path that passes all, reports too big packets, or answers no echo requests is not limited")
    func others() {
        #expect(Self.run(Path(links: [1_500, 1_500])) == (.passes, 6))
        var path = Path(links: [1_500, 1_280, 1_500])
        path.reports = true
        #expect(Self.run(path).0 == .passes)
        path.reports = false
        path.answersEcho = false
        #expect(Self.run(path) == (.unknown, 6))
        #expect(Self.run(Path(links: [1_280]), small: 1_280, full: 1_280) == (.unknown, 0))
    }

    @Test("Silent routers: the last one that a full-size packet reached, and the first that only small ones did")
    func silent() {
        var path = Path(links: [1_500, 1_500, 1_500, 1_280, 1_500, 1_500])
        path.silent = [2, 3, 4]
        #expect(
            Self.run(path).0
                == .limited(
                    PathMTULimit(
                        largest: 1_280,
                        behind: .init(address: Self.router(1), hop: 1),
                        before: .init(address: Self.router(5), hop: 5)
                    )
                )
        )
    }

    @Test("The way back of IPv6 is limited: full-size packets reach all routers")
    func wayBack() {
        var path = Path(links: Array(repeating: 1_500, count: 4))
        path.returnMTU = 1_280
        #expect(Self.run(path, small: 1_280).0 == Self.limited(1_280, behind: 3, mayBeReturn: true))
    }

    @Test("Random loss of 30 % on a good path is not a limit, in 100,000 searches")
    func loss() {
        var generator = SystemRandomNumberGenerator()
        var claims = 0
        for _ in 0..<100_000 {
            var path = Path(links: Array(repeating: 1_500, count: 7))
            let seed = UInt64.random(in: 0 ... .max, using: &generator)
            path.loses = { count in
                var value = seed &+ UInt64(count) &* 0x9E37_79B9_7F4A_7C15
                value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
                value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
                return (value ^ value >> 31) % 100 < 30
            }
            if case .limited = Self.run(path).0 { claims += 1 }
        }
        // A connection with small segments has to agree besides.
        #expect(claims < 500, "\(claims) of 100,000")
    }

    @Test("Late and foreign answers do not end a search")
    func foreign() {
        var search = PathMTUSearch(destination: Self.destination, small: 576, full: 1_500)
        search.add(.reply, to: .init(size: 40))
        search.add(.exceeded(Self.router(1)), to: .init(size: 1_500, hop: 200))
        #expect(search.next().count == 6)
        #expect(!search.isRoundAnswered)
        #expect(search.next().isEmpty && search.outcome == .unknown)
    }
}
