// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import MonitoringTestSupport
import TestSupport
import Testing

@testable import Notifying

@Suite("Notifications of a fleet", .timeLimit(.minutes(15))) struct FleetNotifierTests {
    private func receiver(_ port: UInt16, _ change: (inout ReceiverSettings) -> Void = { _ in }) throws
        -> ReceiverSettings
    {
        var settings = try ReceiverSettings.hook("hook", port: port)
        settings.pace.groupWait = .zero
        settings.pace.perTarget = 100
        change(&settings)
        return settings
    }

    /// What arrived, each message once: what was on its way when a node was cut off, or a moment before it was stored as sent, is sent again
    /// with the same id.
    private func messages(of server: HookServer) -> [HookServer.Request] {
        var seen: Set<String> = []
        return server.requests.events.filter { seen.insert($0.id).inserted }
    }

    private func awaitMessages(_ count: Int, at server: HookServer) async throws {
        while true {
            let requests = server.requests.count
            guard messages(of: server).count < count else { return }
            _ = try await server.requests.next(after: requests)
        }
    }

    /// A request as `target status`, with the location that alone sees it so.
    private func summary(_ request: HookServer.Request) -> String {
        let reading = MessageReading(body: request.body)
        let targets = reading.targets.map(\.target).joined(separator: ",")
        let view = reading.text("$.seen_from").map { " from \($0)" } ?? ""
        return "\(targets) \(reading.text("$.status") ?? "")\(view)"
    }

    /// Returns when a node has stored that a receiver needs nothing more of what happened so far.
    private func awaitStored(_ fleet: ImitatedFleet, by scene: FleetNotifierScene) async {
        while fleet.row.consumed < UInt64(fleet.events.count) {
            scene.advance(.seconds(1))
            await Task.yield()
        }
    }

    @Test("Another node continues where the first one was")
    func takeover() async throws {
        let (fleet, server) = (ImitatedFleet(), try HookServer())
        let scenes = try ["a", "b"].map { try FleetNotifierScene($0, of: fleet, [receiver(server.port)]) }
        fleet.assign(to: "a")
        for scene in scenes { scene.node.renew() }
        fleet.change("t0", to: .down)
        _ = try await server.requests.next()
        fleet.change("t1", to: .down)
        _ = try await server.requests.next(after: 1)
        await awaitStored(fleet, by: scenes[0])
        fleet.assign(to: "b")
        for scene in scenes { scene.node.renew() }
        fleet.change("t1", to: .up)
        _ = try await server.requests.next(after: 2)
        fleet.change("t2", to: .up)
        fleet.change("t0", to: .up)
        _ = try await server.requests.next(after: 3)
        await awaitStored(fleet, by: scenes[1])
        #expect(Set(server.requests.events.map(\.id)).count == 4)
        #expect(messages(of: server).map(summary) == ["t0 firing", "t1 firing", "t1 resolved", "t0 resolved"])
        #expect(scenes[0].notifier.deliveries.isEmpty)
    }

    @Test(
        "A lease that ends in the middle of a delivery: another node repeats the message, and the first one sends nothing more"
    )
    func lostInDelivery() async throws {
        let fleet = ImitatedFleet()
        let server = try HookServer { _, count in count == 0 ? .hang : .status(204) }
        let scenes = try ["a", "b"].map { try FleetNotifierScene($0, of: fleet, [receiver(server.port)]) }
        fleet.assign(to: "a")
        for scene in scenes { scene.node.renew() }
        fleet.change("t0", to: .down)
        let first = try await server.requests.next()
        scenes[0].node.loseLease()
        fleet.change("t1", to: .down)
        // Both messages wait on the first node, and neither is sent by it.
        scenes[0].settle()
        fleet.assign(to: "b")
        scenes[1].node.renew()
        _ = try await server.requests.next(after: 2)
        await awaitStored(fleet, by: scenes[1])
        scenes[0].node.renew()
        scenes[0].settle()
        let repeated = server.requests.events.filter { $0.id == first.id }
        #expect(server.requests.events.map(summary).sorted() == ["t0 firing", "t0 firing", "t1 firing"])
        #expect(repeated.count == 2 && repeated[1].body == first.body)
        #expect(scenes[0].notifier.deliveries.isEmpty)
    }

    @Test("Without a lease nothing is sent; with it the same node continues")
    func withoutLease() async throws {
        let (fleet, server) = (ImitatedFleet(), try HookServer())
        let scene = try FleetNotifierScene("a", of: fleet, [receiver(server.port)])
        fleet.assign(to: "a")
        scene.node.renew()
        fleet.change("t0", to: .down)
        _ = try await server.requests.next()
        await awaitStored(fleet, by: scene)
        scene.node.loseLease()
        fleet.change("t1", to: .down)
        scene.see(["t1"], up: false)
        while true {
            if case .here(let status)? = scene.notifier.deliveries["hook"], status.value.pending == 1 { break }
            scene.settle()
            await Task.yield()
        }
        #expect(server.requests.count == 1)
        scene.node.renew()
        _ = try await server.requests.next(after: 1)
        #expect(messages(of: server).map(summary) == ["t0 firing", "t1 firing"])
    }

    @Test(
        "A node that is cut off notifies of what it sees itself, and of nothing but the ends of that when it has returned"
    )
    func cutOff() async throws {
        let (fleet, server) = (ImitatedFleet(), try HookServer())
        let scene = try FleetNotifierScene("a", of: fleet, [receiver(server.port)])
        scene.node.hold(["t0", "t1"])
        fleet.assign(to: "a")
        scene.node.renew()
        fleet.change("t0", to: .down)
        _ = try await server.requests.next()
        await awaitStored(fleet, by: scene)
        fleet.setReachable(false)
        scene.node.loseLease()
        // t2 is another node's to notify of.
        scene.see(["t1", "t2"], up: false)
        scene.settle()
        #expect(server.requests.count == 1)
        scene.node.cutOff()
        let seen = try await server.requests.next(after: 1)
        #expect(summary(seen) == "t1 firing from berlin")
        #expect(seen.id.hasPrefix(scene.registry.epoch))
        #expect(MessageReading(body: seen.body).text("$.text")?.contains("as seen from berlin") == true)
        let template = try MessageTemplate("{{seen_from}}", form: .text)
        var change = StateChange.sample(1)
        change.seenFrom = "berlin"
        #expect(template.render(Message(change)) == Array("berlin".utf8))
        if case .cutOff? = scene.notifier.deliveries["hook"] {} else { Issue.record("the status says nothing of it") }
        // The fleet has it, too, when the database is back: that is another incident, and each ends where it began.
        fleet.change("t1", to: .down)
        fleet.setReachable(true)
        scene.node.renew()
        try await awaitMessages(3, at: server)
        // Its assignments are others by now.
        scene.node.hold([])
        fleet.change("t1", to: .up)
        try await awaitMessages(4, at: server)
        scene.see(["t1", "t2"], up: true)
        scene.settle()
        try await awaitMessages(5, at: server)
        fleet.change("t0", to: .up)
        try await awaitMessages(6, at: server)
        #expect(
            messages(of: server).map(summary) == [
                "t0 firing", "t1 firing from berlin", "t1 firing", "t1 resolved", "t1 resolved from berlin",
                "t0 resolved",
            ]
        )
    }

    @Test(
        "A node that is killed while it is cut off reports in its next run the ends of what it left open",
        arguments: [true, false]
    )
    func restarted(isCutOff: Bool) async throws {
        let (fleet, server, store) = (ImitatedFleet(), try HookServer(), MemoryEventStore())
        fleet.assign(to: "a")
        do {
            let scene = try FleetNotifierScene("a", of: fleet, [receiver(server.port)], store: store)
            scene.node.hold(["t1"])
            scene.node.renew()
            fleet.setReachable(false)
            scene.node.cutOff()
            scene.see(["t1"], up: false)
            _ = try await server.requests.next()
            while try store.marks()["cut off: hook"]?.contains("incident") != true {
                scene.advance(.seconds(1))
                await Task.yield()
            }
            scene.stop()
        }
        let scene = try FleetNotifierScene("a", of: fleet, [receiver(server.port)], store: store)
        scene.node.hold(["t1"])
        fleet.setReachable(!isCutOff)
        if isCutOff { scene.node.cutOff() } else { scene.node.renew() }
        while messages(of: server).count < 2 {
            scene.settle()
            await Task.yield()
        }
        #expect(messages(of: server).map(summary) == ["t1 firing from berlin", "t1 resolved from berlin"])
    }

    @Test("With when_cut_off: wait nothing is sent while the node is cut off, and everything afterwards")
    func waiting() async throws {
        let (fleet, server) = (ImitatedFleet(), try HookServer())
        let scene = try FleetNotifierScene("a", of: fleet, [receiver(server.port) { $0.whenCutOff = .wait }])
        scene.node.hold(["t1"])
        fleet.assign(to: "a")
        scene.node.renew()
        fleet.setReachable(false)
        scene.node.cutOff()
        scene.see(["t1"], up: false)
        scene.settle()
        fleet.setReachable(true)
        fleet.change("t1", to: .down)
        scene.node.renew()
        _ = try await server.requests.next()
        #expect(messages(of: server).map(summary) == ["t1 firing"])
    }

    @Test("After a delivery only what changed of the offset is stored")
    func storedChanges() async throws {
        let (fleet, server) = (ImitatedFleet(), try HookServer())
        let scene = try FleetNotifierScene("a", of: fleet, [receiver(server.port)])
        fleet.assign(to: "a")
        scene.node.renew()
        for number in 0..<20 {
            fleet.change("t\(number)", to: .down)
            _ = try await server.requests.next(after: number)
            await awaitStored(fleet, by: scene)
        }
        let row = fleet.row
        #expect(
            row.progress.map { !$0.contains("t19 is down") } == true && row.changes?.contains("t19 is down") == true
        )
        let place = try #require(StoredProgress.read(row.progress ?? "", changes: row.changes))
        #expect(place.notices.count == 20 && place.mark.floor == 40)
    }

    @Test("Without a receiver there is no thread")
    func idle() throws {
        let scene = try FleetNotifierScene("a", of: ImitatedFleet(), [])
        #expect(!scene.notifier.isRunning)
    }
}
