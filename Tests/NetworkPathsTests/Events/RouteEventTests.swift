// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import TestSupport
import Testing

@Suite(.enabled(if: Testbed.isAvailable, Comment(rawValue: Testbed.requirement)), .timeLimit(.minutes(15)))
struct RouteEventTests {
    @Test("E5: a rule touches its destinations only, and gives them back")
    func ruleAddedAndDeleted() async throws {
        try await Scene.with { scene in
            let mark = scene.log.updates.count
            try scene.testbed.i("rule add to 203.0.113.0/24 prohibit")
            let down = try await scene.log.next(scene.remote, after: mark)
            #expect(down.path.unsatisfiedReason == .prohibited)
            #expect(down.path.flags == [])
            #expect(down.trigger.kind == .rule)
            try scene.testbed.i("rule del to 203.0.113.0/24 prohibit")
            let up = try await scene.log.next(scene.remote, after: mark) { $0.path.status == .satisfied }
            #expect(up.trigger.kind == .rule)
            #expect(up.path.flags == .reachable)
            try await scene.barrier()
            #expect(scene.updates(after: mark).count == 2)
        }
    }

    @Test("E8: a route is treated as gone when its lifetime ends, before the kernel's message")
    func routeExpires() async throws {
        try await Scene.with { scene in
            try scene.testbed.i("route del default")
            try await scene.log.settle(scene.defaultPath) { !$0.supportsIPv4 && $0.supportsIPv6 }
            let mark = scene.log.updates.count
            try scene.testbed.i("-6 route replace default via 2001:db8:1::1 dev eth0 expires 3")
            let update = try await scene.log.next(scene.defaultPath, after: mark) { $0.path.flags == [] }
            // The kernel's own message comes some 27 s later and would say `route`.
            #expect(update.trigger.kind == .routeExpiry)
            #expect(update.path.unsatisfiedReason == .noRoute)
        }
    }

    @Test("A lifetime that is extended does not end")
    func routeLifetimeExtended() async throws {
        try await Scene.with { scene in
            let id = scene.engine.add([PathRequest(try PathTarget(parsing: "2001:db8:9::1"))])[0]
            try scene.testbed.i("-6 route replace default via 2001:db8:1::1 dev eth0 expires 1")
            try scene.testbed.i("-6 route replace default via 2001:db8:1::1 dev eth0 expires 600")
            try await scene.log.settle(id) { $0.status == .satisfied }
            // Its end tells that the time of the first lifetime is over, too.
            try scene.testbed.i("-6 route add unreachable 2001:db8:e::/48 metric 2000000")
            try scene.testbed.i("-6 route add 2001:db8:e::/48 via 2001:db8:1::1 dev eth0 expires 4")
            let mark = scene.log.updates.count
            let other = scene.engine.add([PathRequest(try PathTarget(parsing: "2001:db8:e::1"))])[0]
            let update = try await scene.log.next(other, after: mark) { $0.path.flags == [] }
            #expect(update.path.unsatisfiedReason == .unreachable)
            #expect(update.trigger.kind == .routeExpiry)
            #expect(scene.deliveries(of: id, after: mark).isEmpty)
        }
    }

    @Test("A route replaced by one with the same verdict is a path change and no delivery (R57)")
    func routeReplaced() async throws {
        try await Scene.with { scene in
            let before = try #require(scene.log.path(of: scene.remote))
            let mark = scene.log.updates.count
            try scene.testbed.i("route replace default via 192.0.2.254")
            let update = try await scene.log.next(scene.remote, after: mark) {
                $0.path.gateway == IPAddress("192.0.2.254")
            }
            #expect(update.trigger.kind == .route)
            #expect(update.isPathChange)
            #expect(!update.isDelivery)
            #expect(update.path.generation == before.generation + 1)
            #expect(update.previous == before)
            try await scene.barrier()
            #expect(scene.deliveries(of: scene.remote, after: mark).isEmpty)
            #expect(scene.deliveries(of: scene.defaultPath, after: mark).isEmpty)
        }
    }

    @Test("60: the default moves to another interface: flags alike, a delivery all the same (R57)")
    func defaultMoves() async throws {
        try await Scene.with(setUp: {
            try $0.base()
            try $0.second()
        }) { scene in
            let mark = scene.log.updates.count
            try scene.testbed.i("route replace default via 198.18.0.1")
            let update = try await scene.log.next(scene.defaultPath, after: mark) { $0.path.interface?.name == "eth1" }
            #expect(update.isDelivery)
            #expect(update.path.flags == update.previous?.flags)
            #expect(update.trigger.kind == .route)
        }
    }

    @Test("Refusing routes come and go", arguments: ["unreachable", "blackhole", "prohibit"])
    func refusal(_ kind: String) async throws {
        let reasons: [String: UnsatisfiedReason] = [
            "unreachable": .unreachable, "blackhole": .blackhole, "prohibit": .prohibited,
        ]
        try await Scene.with { scene in
            let mark = scene.log.updates.count
            try scene.testbed.i("route add \(kind) 203.0.113.0/24")
            let down = try await scene.log.next(scene.remote, after: mark)
            #expect(down.path.unsatisfiedReason == reasons[kind])
            #expect(down.trigger.kind == .route)
            try scene.testbed.i("route del \(kind) 203.0.113.0/24")
            let up = try await scene.log.next(scene.remote, after: mark) { $0.path.status == .satisfied }
            #expect(up.trigger.kind == .route)
            try await scene.barrier()
            #expect(scene.updates(after: mark).count == 2)
        }
    }

    @Test("A next-hop object is deleted: its routes vanish without a route message")
    func nextHopDeleted() async throws {
        try await Scene.with { scene in
            try scene.testbed.i("nexthop add id 1 via 192.0.2.1 dev eth0;route add 203.0.113.0/24 nhid 1")
            try scene.testbed.i("route del default")
            try await scene.log.settle(scene.defaultPath) { !$0.supportsIPv4 }
            let mark = scene.log.updates.count
            try scene.testbed.i("nexthop del id 1")
            let update = try await scene.log.next(scene.remote, after: mark)
            #expect(update.trigger.kind == .nextHop)
            #expect(update.path.unsatisfiedReason == .noRoute)
        }
    }

    @Test("A kernel setting makes dead routes be passed over")
    func netconf() async throws {
        try await Scene.with(setUp: {
            try $0.base()
            try $0.second()
            try $0.i("route add default via 198.18.0.1 metric 500")
        }) { scene in
            try scene.testbed.p("link set p0 down")
            try await scene.log.settle(scene.remote) { $0.unsatisfiedReason == .noCarrier }
            let setting = "net.ipv4.conf.eth0.ignore_routes_with_linkdown"
            // The kernel tells a lost carrier up to a second late and more than once, and a change is put down to the message
            // that was read as it was found. Each such message can claim one change at most: the setting goes to and fro until
            // one of its changes is its own.
            var triggers: [ChangeTrigger.Kind] = []
            while triggers.last != .netconf, triggers.count < 20 {
                let mark = scene.log.updates.count
                try scene.testbed.namespace.sysctl(setting, "1")
                let update = try await scene.log.next(scene.remote, after: mark) { $0.path.status == .satisfied }
                #expect(update.path.interface?.name == "eth1")
                triggers.append(update.trigger.kind)
                try scene.testbed.namespace.sysctl(setting, "0")
                try await scene.log.settle(scene.remote) { $0.unsatisfiedReason == .noCarrier }
            }
            #expect(triggers.last == .netconf)
            #expect(triggers.allSatisfy { $0 == .netconf || $0 == .link })
        }
    }

    @Test("An address is removed and comes back")
    func addressRemoved() async throws {
        try await Scene.with { scene in
            let mark = scene.log.updates.count
            try scene.testbed.i("addr del 192.0.2.2/24 dev eth0")
            let own = try await scene.log.next(scene.own, after: mark) { $0.path.flags == [] }
            #expect([.address, .route].contains(own.trigger.kind))
            let neighbour = try await scene.log.next(scene.neighbour, after: mark) { $0.path.flags == [] }
            #expect(neighbour.path.unsatisfiedReason == .noRoute)
            try scene.testbed.i("addr add 192.0.2.2/24 dev eth0")
            let back = try await scene.log.next(scene.own, after: mark) { $0.path.status == .satisfied }
            #expect([.address, .route].contains(back.trigger.kind))
            #expect(back.path.flags == [.reachable, .isLocalAddress, .isDirect])
            try await scene.log.settle(scene.neighbour) { $0.flags == [.reachable, .isDirect] }
            #expect(scene.log.path(of: scene.remote)?.unsatisfiedReason == .noRoute)
        }
    }

    @Test("L7: a tentative IPv6 address becomes usable")
    func tentative() async throws {
        try await Scene.with { scene in
            let requests = try ["2001:db8:5::2>", "2001:db8:5::2>2001:db8:9::1"].map {
                PathRequest(try PathTarget(parsing: $0))
            }
            let ids = scene.engine.add(requests)
            try scene.testbed.namespace.sysctl("net.ipv6.conf.eth0.accept_dad", "1")
            try scene.testbed.namespace.sysctl("net.ipv6.conf.eth0.dad_transmits", "2")
            for id in ids { try await scene.log.settle(id) { $0.unsatisfiedReason == .localAddressNotOurs } }
            let mark = scene.log.updates.count
            try scene.testbed.i("addr add 2001:db8:5::2/64 dev eth0")
            for id in ids {
                let update = try await scene.log.next(id, after: mark)
                #expect(update.path.status == .satisfied)
                #expect([.address, .route].contains(update.trigger.kind))
            }
        }
    }
}
