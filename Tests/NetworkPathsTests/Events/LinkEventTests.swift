// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import TestSupport
import Testing

@Suite(.enabled(if: Testbed.isAvailable, Comment(rawValue: Testbed.requirement)), .timeLimit(.minutes(15)))
struct LinkEventTests {
    @Test("E1: link set down: targets behind it are unreachable, one delivery each, the machine's own address stays")
    func administrativelyDown() async throws {
        try await Scene.with { scene in
            let mark = scene.log.updates.count
            try scene.testbed.i("link set eth0 down")
            for id in [scene.defaultPath, scene.remote, scene.neighbour] {
                let update = try await scene.log.next(id, after: mark) { $0.path.flags == [] }
                #expect(update.trigger.kind == .link)
                #expect(update.path.unsatisfiedReason == .noRoute)
                #expect(update.path.reachability == .notReachable)
            }
            try await scene.barrier()
            for id in [scene.defaultPath, scene.remote, scene.neighbour] {
                #expect(scene.deliveries(of: id, after: mark).count == 1)
            }
            #expect(scene.deliveries(of: scene.own, after: mark).isEmpty)
        }
    }

    @Test("E2: carrier lost at the peer: there is no route message, the link message causes the event")
    func carrierLost() async throws {
        try await Scene.with { scene in
            let mark = scene.log.updates.count
            try scene.testbed.p("link set p0 down")
            for id in [scene.defaultPath, scene.remote, scene.neighbour] {
                let update = try await scene.log.next(id, after: mark) { $0.path.flags == [] }
                #expect(update.trigger == ChangeTrigger(.link, interface: "eth0"))
                #expect(update.path.unsatisfiedReason == .noCarrier)
                #expect(update.path.interface?.name == "eth0")
            }
            try await scene.barrier()
            for id in [scene.defaultPath, scene.remote, scene.neighbour] {
                #expect(scene.deliveries(of: id, after: mark).count == 1)
            }
            #expect(scene.updates(after: mark).allSatisfy { $0.id != scene.own })
        }
    }

    @Test("E4: carrier comes back, although no route message comes")
    func carrierReturns() async throws {
        try await Scene.with { scene in
            try scene.testbed.p("link set p0 down")
            try await scene.log.settle(scene.remote) { $0.unsatisfiedReason == .noCarrier }
            let mark = scene.log.updates.count
            try scene.testbed.p("link set p0 up")
            for id in [scene.defaultPath, scene.remote, scene.neighbour] {
                let update = try await scene.log.next(id, after: mark) { $0.path.status == .satisfied }
                #expect(update.trigger == ChangeTrigger(.link, interface: "eth0"))
                #expect(update.path.unsatisfiedReason == nil)
            }
        }
    }

    @Test("A carrier that flaps ends in the state that it has")
    func carrierFlaps() async throws {
        try await Scene.with { scene in
            for _ in 0..<10 { try scene.testbed.p("link set p0 down; link set p0 up") }
            try scene.testbed.p("link set p0 down")
            try await scene.log.settle(scene.remote) { $0.unsatisfiedReason == .noCarrier }
            try await scene.barrier()
            #expect(scene.log.path(of: scene.remote)?.unsatisfiedReason == .noCarrier)
            #expect(scene.log.path(of: scene.defaultPath)?.unsatisfiedReason == .noCarrier)
        }
    }

    @Test("A link is deleted and made again")
    func linkDeleted() async throws {
        try await Scene.with { scene in
            let before = try #require(scene.log.path(of: scene.neighbour)?.interface)
            let mark = scene.log.updates.count
            try scene.testbed.i("link del eth0")
            let update = try await scene.log.next(scene.remote, after: mark) { $0.path.flags == [] }
            #expect(update.trigger.kind == .link)
            #expect(update.path.unsatisfiedReason == .noRoute)
            try await scene.log.settle(scene.own) { $0.flags == [] }
            try scene.testbed.base()
            try await scene.log.settle(scene.neighbour) { $0.status == .satisfied }
            let after = try #require(scene.log.path(of: scene.neighbour)?.interface)
            #expect(after.name == before.name)
            #expect(after.index != before.index)
        }
    }

    @Test("A renamed link is a path change and no delivery (R57: flags and index stay)")
    func linkRenamed() async throws {
        try await Scene.with { scene in
            // Renaming a link that is up is allowed since Linux 6.2; older ones take their routes along.
            do {
                let mark = scene.log.updates.count
                try scene.testbed.i("link set eth0 name lan0")
                let update = try await scene.log.next(scene.neighbour, after: mark) {
                    $0.path.interface?.name == "lan0"
                }
                #expect(update.isPathChange)
                #expect(!update.isDelivery)
                #expect(update.trigger.kind == .link)
            } catch let failure as Command.Failure {
                try skip("renaming a link that is up", because: failure.output)
            }
        }
    }

    @Test("E10: MTU, alias, neighbour and DHCP renewal cause no event")
    func noise() async throws {
        try await Scene.with { scene in
            try await scene.barrier()
            let mark = scene.log.updates.count
            try scene.testbed.i("link set eth0 mtu 1400")
            try scene.testbed.i("link set eth0 alias x")
            try scene.testbed.i("neigh add 192.0.2.9 lladdr 02:00:00:00:00:09 dev eth0")
            for _ in 0..<2 {
                try scene.testbed.i("addr change 192.0.2.2/24 dev eth0 valid_lft 9999 preferred_lft 9999")
            }
            try scene.testbed.i("link property add dev eth0 altname other-name")
            try await scene.barrier()
            #expect(scene.updates(after: mark).isEmpty)
        }
    }

    @Test("An alternative name changes the type, and the type the flags")
    func alternativeName() async throws {
        var options = PathEngineOptions()
        options.interfaceRules = [InterfaceRule(patterns: [.init(.altname, "modem-*")], type: .cellular)]
        try await Scene.with(options: options) { scene in
            let mark = scene.log.updates.count
            try scene.testbed.i("link property add dev eth0 altname modem-1")
            let update = try await scene.log.next(scene.remote, after: mark) { $0.path.flags.contains(.isWWAN) }
            #expect(update.trigger == ChangeTrigger(.link, interface: "eth0"))
            #expect(update.path.isExpensive)
            #expect(update.path.reachability == .reachableViaWWAN)
        }
    }

    @Test("Loopback goes down: our own address with it")
    func loopbackDown() async throws {
        try await Scene.with { scene in
            let mark = scene.log.updates.count
            try scene.testbed.i("link set lo down")
            let update = try await scene.log.next(scene.own, after: mark)
            #expect(update.path.unsatisfiedReason == .loopbackDown)
            #expect(update.trigger == ChangeTrigger(.link, interface: "lo"))
        }
    }
}
