// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import TestSupport
import Testing

@testable import NetworkPaths

/// Names are asked for again when the network changes (R58), and a network that changes all the time is no flood of questions.
@Suite("Names after a change of the network")
struct RequeryTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("The pace: at once after two quiet minutes, 1, 2, 4 … 60 s apart while changes continue")
    func pace() {
        var pace = RequeryInterval()
        var asked: [UInt64] = []
        // An hour of changes, a hundred a second.
        for hundredth in 0..<360_000 as Range<UInt64> {
            let now = hundredth * Self.second / 100
            guard pace.earliest(at: now) <= now else { continue }
            pace.requeried(at: now)
            asked.append(now / Self.second)
        }
        #expect(asked.prefix(9) == [0, 1, 3, 7, 15, 31, 63, 123, 183])
        #expect(asked.count == 65)
        let quiet = 3_600 * Self.second + RequeryInterval.calm
        #expect(pace.earliest(at: quiet) == quiet)
        pace.requeried(at: quiet)
        #expect(pace.earliest(at: quiet + 1) == quiet + Self.second)
    }

    @Suite(.enabled(if: Testbed.isAvailable, Comment(rawValue: Testbed.requirement)), .timeLimit(.minutes(15)))
    struct Live {
        private static func asked(_ scene: NameScene, _ name: String, after mark: Int = 0) -> Int {
            scene.server.questions.events.dropFirst(mark).count { $0 == "\(name) A" }
        }

        @Test("R58: the name is resolved again when the path changes; the old addresses stay in force until the answer")
        func pathChange() async throws {
            try await NameScene.with { scene in
                scene.server.set("far.test", .addresses(["203.0.113.5"], ttl: 3600))
                let id = try scene.add("far.test")
                _ = try await scene.resolved(id)
                scene.server.set("far.test", .addresses(["203.0.113.6"], ttl: 3600))
                let (mark, questions) = (scene.log.updates.count, scene.server.questions.count)
                try scene.testbed.i("route replace default via 192.0.2.254")
                let moved = try await scene.log.next(id, after: mark)
                #expect(moved.path.gateway == IPAddress("192.0.2.254"))
                #expect(moved.path.resolution.state == .complete)
                #expect(moved.path.resolution.addresses == [IPAddress("203.0.113.5")])
                let answered = try await scene.log.next(id, after: mark) { $0.trigger.kind == .resolution }
                #expect(answered.path.resolution.addresses == [IPAddress("203.0.113.6")])
                #expect(Self.asked(scene, "far.test", after: questions) == 1)
            }
        }

        @Test("Without a path no query is sent and addresses stay; a returning path starts a new query")
        func pathLost() async throws {
            try await NameScene.with { scene in
                scene.server.set("far.test", .addresses(["203.0.113.5"], ttl: 3600))
                let id = try scene.add("far.test")
                _ = try await scene.resolved(id)
                let (mark, questions) = (scene.log.updates.count, scene.server.questions.count)
                try scene.testbed.p("link set p0 down")
                let lost = try await scene.log.next(id, after: mark) { $0.path.flags == [] }
                #expect(lost.path.resolution.addresses == [IPAddress("203.0.113.5")])
                // Another name comes after it in the resolver's one order.
                scene.server.set("other.test", .addresses(["203.0.113.7"]))
                _ = try await scene.resolved(try scene.add("other.test"))
                #expect(Self.asked(scene, "far.test", after: questions) == 0)
                scene.server.set("far.test", .addresses(["203.0.113.6"], ttl: 3600))
                try scene.testbed.p("link set p0 up")
                try await scene.log.next(id, after: mark) { $0.path.resolution.addresses == [IPAddress("203.0.113.6")] }
                #expect(Self.asked(scene, "far.test", after: questions) == 1)
            }
        }

        @Test("Twenty targets of one name share one look-up, the first one and that after a change")
        func shared() async throws {
            try await NameScene.with { scene in
                scene.server.set("far.test", .addresses(["203.0.113.5"], ttl: 3600))
                let target = try PathTarget(parsing: "far.test")
                let ids = scene.engine.add((0..<20).map { _ in PathRequest(target) })
                for id in ids { _ = try await scene.resolved(id) }
                #expect(Self.asked(scene, "far.test") == 1)
                scene.server.set("far.test", .addresses(["203.0.113.6"], ttl: 3600))
                let mark = scene.log.updates.count
                try scene.testbed.i("route replace default via 192.0.2.254")
                for id in ids {
                    try await scene.log.next(id, after: mark) {
                        $0.path.resolution.addresses == [IPAddress("203.0.113.6")]
                    }
                }
                #expect(Self.asked(scene, "far.test") == 2)
            }
        }

        @Test("One of several targets of a name is removed during its resolution: the others get the answer")
        func sharedAndRemoved() async throws {
            try await NameScene.with(configuration: NameScene.deadServer) { scene in
                scene.server.set("far.test", .addresses(["203.0.113.5"]))
                let target = try PathTarget(parsing: "far.test")
                let ids = scene.engine.add((0..<3).map { _ in PathRequest(target) })
                scene.engine.remove([ids[0]])
                try scene.files.replace(NameScene.liveServer, at: "resolv.conf")
                for id in ids[1...] {
                    try await scene.log.settle(id) { $0.resolution.addresses == [IPAddress("203.0.113.5")] }
                }
            }
        }

        @Test("A path that flaps 60 times, with names that have and have not an address: few look-ups of each")
        func flapping() async throws {
            try await NameScene.with { scene in
                scene.server.set("far.test", .addresses(["203.0.113.5"], ttl: 3600))
                let ids = [try scene.add("far.test"), try scene.add("nothing.test")]
                for id in ids { _ = try await scene.resolved(id) }
                for round in 0..<60 {
                    try scene.testbed.i("route replace default via 192.0.2.\(round % 2 == 0 ? 254 : 253)")
                    let gateway = IPAddress("192.0.2.\(round % 2 == 0 ? 254 : 253)")
                    try await scene.log.settle(ids[0]) { $0.gateway == gateway }
                }
                // The pace allows eight within two minutes; a name without an address is also asked for as it backs off.
                for name in ["far.test", "nothing.test"] { #expect(Self.asked(scene, name) <= 16) }
                #expect(Self.asked(scene, "far.test") >= 2)
            }
        }

        @Test("resolv.conf is written twice in a row, as by a VPN client: the second contents count")
        func writtenTwice() async throws {
            try await NameScene.with { scene in
                scene.server.set("far.test", .addresses(["203.0.113.5"], ttl: 3600))
                let id = try scene.add("far.test")
                _ = try await scene.resolved(id)
                let mark = scene.log.environments.count
                for server in ["192.0.2.100", "192.0.2.101"] {
                    try scene.files.replace(NameScene.liveServer + "nameserver \(server)\n", at: "resolv.conf")
                }
                try await scene.log.environments.next(after: mark) { $0.resolvers.last?.description == "192.0.2.101" }
                #expect(Self.asked(scene, "far.test") <= 3)
            }
        }
    }
}
