// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import NetworkPaths
import TestSupport
import Testing

/// Names on a DNS server and resolver files of the test's own (R52–R58, linux-paths section 8).
@Suite(.enabled(if: Testbed.isAvailable, Comment(rawValue: Testbed.requirement)), .timeLimit(.minutes(15)))
struct NameTests {
    @Test("R53, R55: evaluated as the default path until the answer, then as the address")
    func hostsFile() async throws {
        try await NameScene.with(hosts: "192.0.2.9 box.test\n") { scene in
            let id = try scene.add("box.test")
            let first = try await scene.log.next(id, after: 0)
            #expect(first.trigger.kind == .initial)
            #expect(first.path.flags == .reachable)
            #expect(first.path.resolution.state == .pending)
            let answer = try await scene.resolved(id)
            #expect(answer.path.flags == [.reachable, .isDirect])
            #expect(answer.path.resolution.state == .complete)
            #expect(answer.path.resolution.addresses == [IPAddress("192.0.2.9")])
            #expect(answer.trigger.kind == .resolution)
            #expect(answer.isDelivery)
        }
    }

    @Test("A changed hosts file is read, replaced by a rename or written in place", arguments: [true, false])
    func hostsFileChanges(_ byRename: Bool) async throws {
        try await NameScene.with(hosts: "192.0.2.9 box.test\n") { scene in
            let id = try scene.add("box.test")
            _ = try await scene.resolved(id)
            let mark = scene.log.updates.count
            let text = "203.0.113.5 box.test\n"
            if byRename { try scene.files.replace(text, at: "hosts") } else { try scene.files.write(text, to: "hosts") }
            let update = try await scene.log.next(id, after: mark) {
                $0.path.resolution.addresses == [IPAddress("203.0.113.5")]
            }
            #expect(update.path.flags == .reachable)
            #expect(update.path.gateway == IPAddress("192.0.2.1"))
            #expect([.resolution, .resolver].contains(update.trigger.kind))
        }
    }

    @Test("Both families of an answer count; their number is part of a delivery (R57)")
    func bothFamilies() async throws {
        try await NameScene.with { scene in
            scene.server.set("both.test", .addresses(["203.0.113.5", "2001:db8:9::1"]))
            let id = try scene.add("both.test")
            // The families come one after the other where one answer is late.
            let both = try await scene.log.next(id, after: 0) { $0.path.resolution.addresses.count == 2 }
            #expect(both.path.flags == .reachable)
            #expect(Set(both.path.resolution.addresses) == [IPAddress("203.0.113.5"), IPAddress("2001:db8:9::1")])
            let mark = scene.log.updates.count
            scene.server.set("both.test", .addresses(["203.0.113.5"]))
            try scene.files.replace(NameScene.liveServer + "# again\n", at: "resolv.conf")
            let one = try await scene.log.next(id, after: mark) { $0.path.resolution.addresses.count == 1 }
            #expect(one.path.flags == .reachable)
            #expect(one.isDelivery)
        }
    }

    @Test("R55: the first address of the best rank speaks for the name")
    func bestRank() async throws {
        try await NameScene.with(hosts: "10.1.0.1 mixed.test\n2001:db8:1::9 mixed.test\n") { scene in
            try scene.testbed.i("route add unreachable 10.1.0.0/16")
            let id = try scene.add("mixed.test")
            let update = try await scene.resolved(id)
            #expect(update.path.flags == [.reachable, .isDirect])
            #expect(update.path.sourceAddress == IPAddress("2001:db8:1::2"))
        }
    }

    @Test("A name of this machine is local")
    func ownName() async throws {
        try await NameScene.with(hosts: "192.0.2.2 me.test\n") { scene in
            let id = try scene.add("me.test")
            let update = try await scene.resolved(id)
            #expect(update.path.flags == [.reachable, .isLocalAddress, .isDirect])
        }
    }

    @Test("R54: a name that does not exist is unreachable, at once")
    func noSuchName() async throws {
        try await NameScene.with { scene in
            let id = try scene.add("nothing.test")
            let update = try await scene.resolved(id)
            #expect(update.path.flags == [])
            #expect(update.path.unsatisfiedReason == .nameUnresolved)
            #expect(update.path.resolution.addresses.isEmpty)
            #expect(update.trigger.kind == .resolution)
        }
    }

    @Test("A name without addresses is resolved again when the network changes")
    func networkChange() async throws {
        try await NameScene.with { scene in
            let id = try scene.add("late.test")
            _ = try await scene.resolved(id)
            scene.server.set("late.test", .addresses(["203.0.113.5"]))
            try scene.testbed.i("route add 10.0.0.0/8 via 192.0.2.1")
            try await scene.log.settle(id) { $0.flags == .reachable && $0.resolution.state == .complete }
        }
    }

    @Test("A resolver without an answer fails; a new resolv.conf starts a new query")
    func resolverConfiguration() async throws {
        try await NameScene.with(configuration: NameScene.deadServer) { scene in
            scene.server.set("box.test", .addresses(["203.0.113.5"]))
            let id = try scene.add("box.test")
            let failed = try await scene.resolved(id)
            #expect(failed.path.resolution.state == .failed)
            #expect(failed.path.resolution.error != nil)
            #expect(failed.path.flags == [])
            #expect(failed.path.unsatisfiedReason == .nameUnresolved)
            let mark = scene.log.updates.count
            try scene.files.replace(NameScene.liveServer, at: "resolv.conf")
            let update = try await scene.log.next(id, after: mark) { $0.path.status == .satisfied }
            #expect(update.path.resolution.state == .complete)
            #expect([.resolution, .resolver].contains(update.trigger.kind))
        }
    }

    @Test("Without a default route, what the name server says of a name is the reason")
    func answersWithoutRoute() async throws {
        try await NameScene.with { scene in
            try scene.testbed.i("route flush table main")
            scene.server.set("failing.test", .failure)
            for (name, state) in [("missing.test", Resolution.State.complete), ("failing.test", .failed)] {
                let update = try await scene.resolved(try scene.add(name))
                #expect(update.path.resolution.state == state)
                #expect(update.path.unsatisfiedReason == .nameUnresolved)
            }
        }
    }

    @Test("A server's failure keeps the last addresses")
    func serverFailure() async throws {
        try await NameScene.with { scene in
            scene.server.set("box.test", .addresses(["192.0.2.9"]))
            let id = try scene.add("box.test")
            _ = try await scene.resolved(id)
            scene.server.set("box.test", .failure)
            let mark = scene.log.updates.count
            try scene.files.replace(NameScene.liveServer + "# again\n", at: "resolv.conf")
            let update = try await scene.log.next(id, after: mark, limit: .seconds(600)) {
                $0.path.resolution.state == .failed
            }
            #expect(update.path.flags == [.reachable, .isDirect])
            #expect(update.path.resolution.addresses == [IPAddress("192.0.2.9")])
            #expect(!update.isDelivery)
        }
    }

    @Test("R53: pending, optimistic as the default path, pessimistic unknown")
    func pending() async throws {
        try await NameScene.with { scene in
            scene.server.set("silent.test", .silence)
            let optimistic = try await scene.log.next(try scene.add("silent.test"), after: 0)
            let pessimistic = try await scene.log.next(
                try scene.add("silent.test", judgement: .pessimistic),
                after: 0
            )
            #expect(optimistic.path.reachability == .reachableViaWiFi)
            #expect(optimistic.path.resolution.state == .pending)
            #expect(pessimistic.path.reachability == .unknown)
            #expect(pessimistic.path.resolution.state == .pending)
        }
    }

    @Test("R58: the path to a resolved name goes with the network, without waiting for DNS")
    func pathChange() async throws {
        try await NameScene.with(hosts: "203.0.113.5 far.test\n") { scene in
            let id = try scene.add("far.test")
            _ = try await scene.resolved(id)
            let mark = scene.log.updates.count
            try scene.testbed.p("link set p0 down")
            let update = try await scene.log.next(id, after: mark) { $0.path.flags == [] }
            #expect(update.trigger.kind == .link)
            #expect(update.path.unsatisfiedReason == .noCarrier)
        }
    }

    @Test("R52: asking once makes no DNS traffic and is as optimistic as the default path")
    func evaluateOnly() async throws {
        try await NameScene.with { scene in
            let path = scene.engine.evaluate([PathRequest(try PathTarget(parsing: "nothing.test"))])
            #expect(path.map(\.flags) == [.reachable])
            // A watched name comes after it in the engine's one order.
            let id = try scene.add("other.test")
            _ = try await scene.resolved(id)
            #expect(scene.server.questions.events.allSatisfy { $0.hasPrefix("other.test") })
        }
    }

    @Test("The environment names the resolvers and whether one can be reached")
    func environment() async throws {
        try await NameScene.with { scene in
            let first = try await scene.log.environments.next { !$0.resolvers.isEmpty }
            #expect(first.resolvers.map(\.description) == ["127.0.0.1"])
            #expect(first.supportsDNS)
            let mark = scene.log.environments.count
            try scene.files.replace("nameserver 10.1.0.1\n", at: "resolv.conf")
            try await scene.log.environments.next(after: mark) { $0.resolvers.map(\.description) == ["10.1.0.1"] }
            try scene.testbed.i("route add unreachable 10.1.0.0/16")
            try await scene.log.environments.next(after: mark) { !$0.supportsDNS }
            // Routers announce link-local servers; the path to one is that of its interface.
            let last = scene.log.environments.count
            try scene.files.replace("nameserver fe80::9%eth0\n", at: "resolv.conf")
            let local = try await scene.log.environments.next(after: last) { $0.resolvers.first?.interface == "eth0" }
            #expect(local.resolvers.map(\.description) == ["fe80::9%eth0"] && local.supportsDNS)
        }
    }

    @Test("A removed name is forgotten, also during its resolution")
    func removedWhilePending() async throws {
        try await NameScene.with { scene in
            scene.server.set("silent.test", .silence)
            let id = try scene.add("silent.test")
            try await scene.server.questions.next { $0.hasPrefix("silent.test") }
            scene.engine.remove([id])
            let count = scene.log.updates(of: id, after: 0).count
            let other = try scene.add("other.test")
            _ = try await scene.resolved(other)
            #expect(scene.log.updates(of: id, after: 0).count == count)
        }
    }
}
