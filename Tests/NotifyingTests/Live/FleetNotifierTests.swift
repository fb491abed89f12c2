// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import MonitoringTestSupport
import TestSupport
import Testing

@testable import Notifying

@Suite("Notifications of a fleet", .timeLimit(.minutes(5))) struct FleetNotifierTests {
    private func receiver(_ port: UInt16, _ change: (inout ReceiverSettings) -> Void = { _ in }) throws
        -> ReceiverSettings
    {
        var settings = try ReceiverSettings.hook("hook", port: port)
        settings.pace.groupWait = .zero
        settings.pace.perTarget = 100
        change(&settings)
        return settings
    }

    private func id(_ sequence: Int) -> String { "\(EventID(epoch: ImitatedFleet.epoch, sequence: UInt64(sequence)))" }

    /// A request as `target status`, with the location that alone sees it so.
    private func summary(_ request: HookServer.Request) -> String {
        let reading = MessageReading(body: request.body)
        let targets = reading.targets.map(\.target).joined(separator: ",")
        let view = reading.text("$.seen_from").map { " from \($0)" } ?? ""
        return "\(targets) \(reading.text("$.status") ?? "")\(view)"
    }

    /// Returns when a node has stored that a receiver needs nothing more up to an event.
    private func awaitStored(_ fleet: ImitatedFleet, by scene: FleetNotifierScene, through sequence: Int) async {
        while fleet.row.consumed < UInt64(sequence) {
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
        await awaitStored(fleet, by: scenes[0], through: 2)
        fleet.assign(to: "b")
        for scene in scenes { scene.node.renew() }
        fleet.change("t1", to: .up)
        _ = try await server.requests.next(after: 2)
        fleet.change("t2", to: .up)
        fleet.change("t0", to: .up)
        _ = try await server.requests.next(after: 3)
        await awaitStored(fleet, by: scenes[1], through: 5)
        #expect(server.requests.events.map(\.id) == [1, 2, 3, 5].map(id))
        #expect(server.requests.events.map(summary) == ["t0 firing", "t1 firing", "t1 resolved", "t0 resolved"])
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
        await awaitStored(fleet, by: scenes[1], through: 2)
        scenes[0].node.renew()
        scenes[0].settle()
        let repeated = server.requests.events.filter { $0.id == first.id }
        #expect(server.requests.events.map(\.id).sorted() == [1, 1, 2].map(id))
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
        await awaitStored(fleet, by: scene, through: 1)
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
        #expect(server.requests.events.map(\.id) == [1, 2].map(id))
    }

    @Test("A node that is cut off notifies of what it sees itself, and leaves it to the fleet again when it returns")
    func cutOff() async throws {
        let (fleet, server) = (ImitatedFleet(), try HookServer())
        let scene = try FleetNotifierScene("a", of: fleet, [receiver(server.port)])
        scene.node.hold(["t0", "t1"])
        fleet.assign(to: "a")
        scene.node.renew()
        fleet.change("t0", to: .down)
        _ = try await server.requests.next()
        await awaitStored(fleet, by: scene, through: 1)
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
        #expect(
            MessageReading(body: seen.body).text("$.text")?.contains("unreachable, as seen from berlin: t1") == true
        )
        let template = try MessageTemplate("{{seen_from}}", form: .text)
        var change = StateChange.sample(1)
        change.seenFrom = "berlin"
        #expect(template.render(Message(change, covers: SequenceSet())) == Array("berlin".utf8))
        if case .cutOff? = scene.notifier.deliveries["hook"] {} else { Issue.record("the status says nothing of it") }
        scene.see(["t1"], up: true)
        #expect(summary(try await server.requests.next(after: 2)) == "t1 resolved from berlin")
        // The log has both turns when the database is back: they are repeated, under the fleet's ids.
        fleet.change("t1", to: .down)
        fleet.change("t1", to: .up)
        fleet.setReachable(true)
        scene.node.renew()
        scene.see(["t1"], up: false)
        _ = try await server.requests.next(after: 4)
        scene.node.renew(isSettled: true)
        fleet.change("t0", to: .up)
        _ = try await server.requests.next(after: 5)
        #expect(server.requests.events.map(summary).suffix(3) == ["t1 firing", "t1 resolved", "t0 resolved"])
        #expect(server.requests.events.map(\.id).suffix(3) == [2, 3, 4].map(id))
        #expect(fleet.row.carried.isEmpty)
    }

    /// What the fleet's log has of a problem that a node notified of while it was cut off.
    enum Aftermath: String, CaseIterable, Sendable {
        /// Other locations reach the target: it was never down for the fleet.
        case nothing
        case down, downAndUp
        /// The log has it before the node hands it over.
        case early
    }

    @Test(
        "A problem that is open when the node returns ends for the receiver, whatever the fleet's log has of it",
        arguments: Aftermath.allCases
    )
    func handedOver(_ aftermath: Aftermath) async throws {
        let (fleet, server) = (ImitatedFleet(), try HookServer())
        let scenes = try ["a", "b"].map { try FleetNotifierScene($0, of: fleet, [receiver(server.port)]) }
        scenes[0].node.hold(["t0", "t1"])
        fleet.assign(to: "b")
        for scene in scenes { scene.node.renew() }
        fleet.setReachable(false)
        for scene in scenes { scene.node.cutOff() }
        scenes[0].see(["t1"], up: false)
        _ = try await server.requests.next()
        fleet.setReachable(true)
        for scene in scenes { scene.node.renew() }
        if aftermath == .early {
            fleet.change("t1", to: .down)
            fleet.change("t1", to: .up)
            _ = try await server.requests.next(after: 2)
        }
        if aftermath == .down || aftermath == .downAndUp { fleet.change("t1", to: .down) }
        if aftermath == .down { _ = try await server.requests.next(after: 1) }
        if aftermath == .downAndUp { fleet.change("t1", to: .up) }
        scenes[0].node.renew(isSettled: true)
        scenes[0].settle()
        while fleet.row.returned == 0 { await Task.yield() }
        // The node that serves the receiver learns of it with its next renewal.
        scenes[1].node.renew(isSettled: true)
        await awaitStored(fleet, by: scenes[1], through: Int(fleet.row.returned))
        if aftermath == .down { fleet.change("t1", to: .up) }
        await awaitStored(fleet, by: scenes[1], through: fleet.events.count)
        let sent = server.requests.events.map(summary)
        let expected =
            switch aftermath {
            case .nothing: ["t1 resolved"]
            case .down, .downAndUp: ["t1 firing", "t1 resolved"]
            case .early: ["t1 firing", "t1 resolved", "t1 resolved"]
            }
        #expect(sent.first == "t1 firing from berlin")
        #expect(sent.last == "t1 resolved")
        #expect(aftermath == .downAndUp || Array(sent.dropFirst()) == expected, "\(sent)")
        if aftermath == .nothing {
            let last = MessageReading(body: server.requests.events.last?.body ?? "")
            #expect(last.text("$.reason.code") == "not_confirmed" && last.text("$.text") == "t1 is up for the fleet.")
        }
        #expect(fleet.row.carried.isEmpty)
    }

    @Test("A node that is killed while it is cut off hands over in its next run what it left open")
    func restarted() async throws {
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
            while try store.marks()["cut off: hook"] == nil {
                scene.advance(.seconds(1))
                await Task.yield()
            }
            scene.stop()
        }
        fleet.setReachable(true)
        let scene = try FleetNotifierScene("a", of: fleet, [receiver(server.port)], store: store)
        scene.node.renew(isSettled: true)
        while fleet.row.returned == 0 {
            scene.settle()
            await Task.yield()
        }
        scene.node.renew(isSettled: true)
        #expect(summary(try await server.requests.next(after: 1)) == "t1 resolved")
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
        #expect(server.requests.events.map(\.id) == [id(1)])
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
            await awaitStored(fleet, by: scene, through: number + 1)
        }
        let row = fleet.row
        #expect(row.progress.map { !$0.contains("down t19") } == true && row.changes?.contains("+down t19") == true)
        let place = try #require(StoredProgress.read(row.progress ?? "", changes: row.changes))
        #expect(place.open?.problems.count == 20 && place.mark.floor == 20)
    }

    @Test("Without a receiver there is no thread")
    func idle() throws {
        let scene = try FleetNotifierScene("a", of: ImitatedFleet(), [])
        #expect(!scene.notifier.isRunning)
    }
}
