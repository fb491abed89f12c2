// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import NetworkPaths
import Testing

@testable import Monitoring

@Suite("The log of uplinks")
struct UplinkLogTests {
    private static let wired = DefaultGateway(IPAddress(ipv4: 0xc000_0201), interface: "eth0")
    private static let mobile = DefaultGateway(IPAddress(ipv4: 0x0a00_0001), interface: "wwan0")
    private static let both = [wired, mobile]
    /// 2026-11-30T23:59:00Z.
    private static let lastMinute: Int64 = 1_796_083_140_000

    /// A log with clocks that the test moves.
    private final class Scene {
        var log = UplinkLog()
        var wall: Int64
        var seconds: UInt64 = 1_000

        init(at wall: Int64 = 1_795_000_000_000) { self.wall = wall }

        var now: UplinkTime {
            UplinkTime(wall: Timestamp(milliseconds: wall), monotonic: seconds * 1_000_000_000)
        }

        func pass(_ count: Int64) {
            wall += count * 1_000
            seconds += UInt64(count)
        }

        /// Follows an environment.
        func see(_ gateways: [DefaultGateway], lost: [DefaultGateway: UnsatisfiedReason] = [:]) {
            log.follow(
                NetworkEnvironment(
                    gateways: gateways,
                    families: Set(gateways.map(\.address.family)),
                    lostGateways: lost
                ),
                at: now
            )
        }

        func answer(_ answer: GatewayAnswer) -> Bool {
            log.take(answer, of: UplinkLogTests.wired, roundTrip: .milliseconds(2), at: now)
        }

        subscript(gateway: DefaultGateway) -> Uplink? { log.uplinks.first { $0.gateway == gateway } }
    }

    @Test("A lost link is an outage with its cause and length; the record has periods and sums")
    func outage() {
        let scene = Scene()
        let start = scene.now.wall
        scene.see([Self.wired])
        scene.pass(600)
        scene.see([], lost: [Self.wired: .noCarrier])
        #expect(scene[Self.wired]?.state == .lost && scene.log.lost == [Self.wired])
        #expect(scene[Self.wired]?.outage?.cause == .noCarrier)
        scene.pass(90)
        scene.see([Self.wired])
        let uplink = scene[Self.wired]
        #expect(uplink?.state == .inUse && uplink?.outage == nil && scene.log.lost == [])
        #expect(uplink?.outages.map(\.milliseconds) == [90_000])
        #expect(uplink?.outages.first?.end == .restored)
        #expect(uplink?.periods.map(\.from) == [start, scene.now.wall])
        #expect(uplink?.periods.first?.to == uplink?.outages.first?.from)
        #expect(uplink?.months.all.map(\.used) == [600_000])
        #expect(uplink?.months.all.map(\.lost) == [90_000])
        #expect(uplink?.id == "eth0-192.0.2.1")
    }

    @Test("Routes that go before the link are an outage whose cause is corrected")
    func laterCause() {
        let scene = Scene()
        scene.see([Self.wired])
        scene.see([])
        #expect(scene[Self.wired]?.outage?.cause == .routeGone)
        scene.see([], lost: [Self.wired: .linkDown])
        #expect(scene[Self.wired]?.outage?.cause == .linkDown)
        scene.see([], lost: [Self.wired: .noInterface])
        #expect(scene[Self.wired]?.outage?.cause == .noInterface, "a link goes down before it is removed")
        scene.see([], lost: [Self.wired: .noCarrier])
        #expect(scene[Self.wired]?.outage?.cause == .noInterface, "the first known cause stays")
        #expect(scene[Self.wired]?.outageCount == 1)
    }

    @Test("Failover: the lost uplink stays lost while another one is in use, and for a day at most")
    func failover() {
        let scene = Scene()
        scene.see([Self.wired])
        scene.see([Self.mobile], lost: [Self.wired: .linkDown])
        #expect(scene[Self.wired]?.state == .lost && scene[Self.mobile]?.state == .inUse)
        scene.pass(86_399)
        scene.log.advance(to: scene.now)
        #expect(scene.log.lost == [Self.wired])
        scene.pass(1)
        scene.log.advance(to: scene.now)
        #expect(scene.log.lost == [])
        #expect(scene[Self.wired]?.outages.map(\.end) == [.expired])
        #expect(scene[Self.wired]?.months.all.map(\.lost).reduce(0, +) == 86_400_000)
        // Without another uplink it is never given up.
        scene.see([], lost: [Self.mobile: .noCarrier])
        scene.pass(3 * 86_400)
        scene.log.advance(to: scene.now)
        #expect(scene.log.lost == [Self.mobile])
    }

    @Test("A failed uplink that works again and is not needed is restored")
    func standby() {
        let scene = Scene()
        scene.see([Self.wired])
        scene.see([Self.mobile], lost: [Self.wired: .noCarrier])
        scene.pass(60)
        scene.see([Self.mobile])
        #expect(scene[Self.wired]?.state == .unused && scene.log.lost == [])
        #expect(scene[Self.wired]?.outages.map(\.end) == [.restored])
    }

    @Test("Another network is not an outage: a VPN, another gateway on the same interface, roaming")
    func replaced() {
        let scene = Scene()
        scene.see([Self.wired])
        scene.see([Self.mobile])
        #expect(scene[Self.wired]?.state == .unused && scene[Self.wired]?.outages == [])
        scene.see([Self.wired])
        scene.pass(10)
        let next = DefaultGateway(IPAddress(ipv4: 0xc000_02fe), interface: "eth0")
        scene.see([next], lost: [Self.wired: .noRoute])
        #expect(scene[Self.wired]?.state == .unused && scene[Self.wired]?.outages == [])
        // With a gap in between it is one, until the next network.
        scene.see([])
        scene.pass(5)
        scene.see([Self.wired])
        #expect(scene[next]?.state == .unused)
        #expect(scene[next]?.outages.map(\.end) == [.replaced])
        #expect(scene[next]?.outages.map(\.milliseconds) == [5_000])
    }

    @Test("The second silence in a row is an outage since the first, until an answer")
    func silence() {
        let scene = Scene()
        scene.see([Self.wired])
        #expect(!scene.answer(.answers))
        #expect(scene[Self.wired]?.gatewayLatency?.roundTrip == .milliseconds(2))
        let since = scene.now.wall
        #expect(scene.answer(.silent), "to be confirmed")
        #expect(scene[Self.wired]?.outage == nil)
        scene.pass(2)
        #expect(!scene.answer(.silent))
        #expect(scene[Self.wired]?.outage?.cause == .gatewaySilent)
        #expect(scene[Self.wired]?.outage?.from == since && scene[Self.wired]?.outage?.milliseconds == 2_000)
        scene.pass(30)
        #expect(!scene.answer(.unknown))
        #expect(scene[Self.wired]?.outage != nil)
        #expect(!scene.answer(.answers))
        #expect(scene[Self.wired]?.outages.map(\.milliseconds) == [32_000])
        #expect(scene[Self.wired]?.months.all.map(\.lost) == [32_000])
        // One lost answer is not an outage.
        _ = scene.answer(.silent)
        _ = scene.answer(.answers)
        _ = scene.answer(.silent)
        #expect(scene[Self.wired]?.outages.count == 1)
        #expect(scene[Self.wired]?.state == .inUse && scene[Self.wired]?.periods.count == 1)
    }

    @Test("Sums are split at the turn of a month, in UTC, and 13 months are kept")
    func months() {
        let scene = Scene(at: Self.lastMinute)
        scene.see([Self.wired])
        scene.pass(150)
        scene.see([], lost: [Self.wired: .linkDown])
        #expect(scene[Self.wired]?.months.all.map(\.name) == ["2026-11", "2026-12"])
        #expect(scene[Self.wired]?.months.all.map(\.used) == [60_000, 90_000])
        for _ in 0..<14 {
            scene.pass(31 * 86_400)
            scene.log.advance(to: scene.now)
        }
        let months = scene[Self.wired]?.months.all ?? []
        #expect(months.count == 13 && months.last?.name == "2028-02")
        #expect(months.dropFirst().dropLast().allSatisfy { $0.lost >= 28 * 86_400_000 })
        let december: Int64 = 31 * 86_400_000
        #expect(months.first { $0.name == "2027-12" }?.lost == december)
    }

    @Test("A wall clock that is set changes no length")
    func clockSteps() {
        let scene = Scene(at: Self.lastMinute)
        scene.see([Self.wired])
        scene.pass(10)
        scene.wall += 40 * 86_400_000
        scene.log.advance(to: scene.now)
        #expect(scene[Self.wired]?.months.all.map(\.used) == [10_000], "it counts where it began")
        scene.wall -= 400 * 86_400_000
        scene.see([], lost: [Self.wired: .linkDown])
        scene.pass(7)
        scene.see([Self.wired])
        #expect(scene[Self.wired]?.outages.map(\.milliseconds) == [7_000])
        #expect(scene[Self.wired]?.months.all.map(\.lost).reduce(0, +) == 7_000)
    }

    @Test("Uplinks, periods and outages are bounded; the least recently used go, those in use never")
    func bounds() {
        let scene = Scene()
        scene.see([Self.wired])
        for number in 1...300 as ClosedRange<UInt32> {
            scene.pass(1)
            scene.see([Self.wired, DefaultGateway(IPAddress(ipv4: 0x0b00_0000 + number), interface: "wlan0")])
        }
        #expect(scene.log.uplinks.count == UplinkLog.capacity)
        #expect(scene[Self.wired]?.state == .inUse)
        #expect(scene[DefaultGateway(IPAddress(ipv4: 0x0b00_0000 + 300), interface: "wlan0")] != nil)
        #expect(scene[DefaultGateway(IPAddress(ipv4: 0x0b00_0001), interface: "wlan0")] == nil)
        for _ in 0..<300 {
            scene.pass(1)
            scene.see([])
            scene.pass(1)
            scene.see([Self.wired])
        }
        #expect(scene[Self.wired]?.periods.count == 100 && scene[Self.wired]?.outages.count == 100)
        #expect(scene[Self.wired]?.outageCount == 300)
        #expect(scene.log.lost.count <= UplinkLog.maximumLost)
    }

    @Test("An earlier run's record is continued, and its stored form is read as it was")
    func restored() throws {
        let scene = Scene()
        scene.see([Self.wired])
        scene.pass(60)
        scene.see([Self.mobile], lost: [Self.wired: .noCarrier])
        scene.pass(30)
        scene.log.advance(to: scene.now)
        let stored = scene.log.uplinks
        let read = stored.compactMap { Uplink(stored: $0.stored) }
        #expect(read == stored)
        // An hour without reachd.
        let next = Scene(at: scene.wall + 3_600_000)
        next.log.restore(read, at: next.now)
        #expect(next.log.lost == [Self.wired], "the outage is resumed")
        next.pass(5)
        next.see([Self.mobile])
        #expect(next[Self.wired]?.state == .lost, "nothing is known of its interface yet")
        #expect(next[Self.wired]?.outage?.milliseconds == 35_000)
        next.pass(5)
        next.see(Self.both)
        #expect(next[Self.wired]?.outages.map(\.milliseconds) == [40_000])
        let mobile = next[Self.mobile]
        #expect(mobile?.periods.count == 2 && mobile?.periods.first?.to == scene.now.wall)
        #expect(mobile?.months.all.map(\.used) == [35_000])
    }

    @Test("Records that are read after the start are merged with what happened since")
    func merged() {
        let scene = Scene()
        scene.see([Self.wired])
        scene.pass(60)
        scene.see([], lost: [Self.wired: .noCarrier])
        scene.pass(10)
        scene.log.advance(to: scene.now)
        let stored = scene.log.uplinks
        let next = Scene(at: scene.wall + 60_000)
        next.see([Self.wired])
        next.pass(20)
        next.log.restore(stored, at: next.now)
        let uplink = next[Self.wired]
        #expect(uplink?.state == .inUse && uplink?.outage == nil)
        #expect(uplink?.months.all.map(\.used) == [80_000] && uplink?.periods.count == 2)
        #expect(uplink?.firstSeen == stored.first?.firstSeen)
    }

    @Test("Stored forms that are damaged are refused")
    func damaged() {
        let scene = Scene()
        scene.see([Self.wired])
        let bytes = scene.log.uplinks[0].stored
        for length in bytes.indices { #expect(Uplink(stored: Array(bytes[..<length])) == nil) }
        let text = String(decoding: bytes, as: UTF8.self)
        for (part, other) in [("192.0.2.1", "x"), ("in_use", "x"), ("\"first\":", "\"first\":-"), ("[", "[1,")] {
            #expect(Uplink(stored: Array(text.replacing(part, with: other).utf8)) == nil, "\(part)")
        }
    }
}
