// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

@Suite("Changes of the route to a target that responds")
struct RouteChangeTests {
    private static let request = TraceRequest(destination: IPAddress(ipv4: 0xC633_6401), method: .tcp(port: 80))
    private static let old = ["192.0.2.1", "203.0.113.1", "203.0.113.2"]
    private static let new = ["192.0.2.1", "203.0.113.9", "203.0.113.2"]

    /// The changes that a sequence of good traces confirms, by the number of the trace.
    private static func changes(_ routes: [String]...) -> [Int: RouteChange] {
        var traces = TargetTraces()
        var changes: [Int: RouteChange] = [:]
        for (index, routers) in routes.enumerated() {
            let trace = TargetTrace(.reached(request, by: routers), at: Timestamp(milliseconds: Int64(index)))
            changes[index] = traces.store(trace, comparesRoutes: true)
        }
        return changes
    }

    @Test("A change counts once two consecutive traces agree on it")
    func confirmed() throws {
        #expect(Self.changes(Self.old, Self.old, Self.new).isEmpty)
        let changes = Self.changes(Self.old, Self.new, Self.new, Self.new)
        #expect(changes.keys.sorted() == [2])
        let change = try #require(changes[2])
        #expect(change.firstDifference == 2 && change.destination == Self.request.destination)
        #expect(change.previous.map { $0.map(\.description) } == (Self.old + ["198.51.100.1"]).map { [$0] })
        #expect(change.current.map { $0.map(\.description) } == (Self.new + ["198.51.100.1"]).map { [$0] })
        #expect(Self.changes(Self.old, Self.new, Self.new, Self.old, Self.old).keys.sorted() == [2, 4])
    }

    @Test("Equal paths that take turns are one route")
    func equalPaths() {
        #expect(Self.changes(Self.old, Self.new, Self.old, Self.new, Self.new, Self.old, Self.old).isEmpty)
        // A third router is still a change.
        let third = ["192.0.2.1", "203.0.113.77", "203.0.113.2"]
        #expect(Self.changes(Self.old, Self.new, Self.old, third, third).keys.sorted() == [4])
        #expect(Self.changes(Self.old, Self.new, third, Self.new, third).isEmpty)
    }

    @Test("A silent hop is not a change; another length is")
    func silence() {
        let silent = ["192.0.2.1", "*", "203.0.113.2"]
        #expect(Self.changes(Self.old, silent, silent, Self.old).isEmpty)
        #expect(Self.changes(silent, Self.old, Self.old).isEmpty)
        let longer = Self.old + ["203.0.113.3"]
        #expect(Self.changes(Self.old, longer, longer).keys.sorted() == [2])
        #expect(Self.changes(longer, Self.old, Self.old).keys.sorted() == [2])
    }

    @Test("A route to another address is not compared, and nothing is unless it is asked for")
    func notCompared() {
        var traces = TargetTraces()
        let other = TraceRequest(destination: IPAddress(ipv4: 0xC633_6402), method: .icmp)
        for (request, routers) in [(Self.request, Self.old), (other, Self.new), (other, Self.new)] {
            let trace = TargetTrace(.reached(request, by: routers), at: Timestamp(milliseconds: 0))
            #expect(traces.store(trace, comparesRoutes: true) == nil)
        }
        var plain = TargetTraces()
        for routers in [Self.old, Self.new, Self.new] {
            #expect(
                plain.store(TargetTrace(.reached(Self.request, by: routers), at: Timestamp(milliseconds: 0))) == nil
            )
        }
        #expect(plain.route == nil)
    }

    // MARK: The event

    private static func events(_ scene: DriverScene) -> [RouteChange] {
        scene.registry.changes(after: 0, limit: .max).events.compactMap { event in
            if case .routeChange(_, let change) = event.content { change } else { nil }
        }
    }

    private static func scene(reports: Bool) throws -> DriverScene {
        var settings = ProbingSettings()
        settings.reportsRouteChanges = reports
        let scene = DriverScene(settings)
        scene.apply([try .probed("web", interval: .seconds(30), fall: 1)])
        scene.world.traceBehaviour = { (10_000_000, .reached($0, by: old)) }
        scene.world.behaviour = { _ in
            let address = IPAddress(ipv4: 0xC633_6401)
            return (
                1_000_000,
                ProbeResult(outcome: .success, detail: "it answers", duration: .milliseconds(1), address: address)
            )
        }
        scene.path(.up())
        scene.advance(.seconds(60))
        return scene
    }

    @Test("Reported: hourly traces, the second one a minute or two after the first that differs, one event")
    func event() throws {
        let scene = try Self.scene(reports: true)
        #expect(scene.world.traces.count == 1)
        scene.advance(.seconds(3_540))
        #expect(scene.world.traces.count <= 2)
        scene.world.traceBehaviour = { (10_000_000, .reached($0, by: Self.new)) }
        let begin = scene.world.traces.count
        while scene.world.traces.count == begin { scene.advance(.seconds(10)) }
        scene.advance(.seconds(1))
        #expect(Self.events(scene).isEmpty)
        scene.advance(.seconds(120))
        #expect(scene.world.traces.count == begin + 2)
        #expect(Self.events(scene).count == 1)
        let event = try #require(scene.registry.changes(after: 0, limit: .max).events.last)
        #expect(event.type == .routeChange && event.record?.target?.settings.id == "web")
        #expect(event.record?.sequence == event.sequence && scene.state("web") == .up)
        let data = String(decoding: RecordedEvent(event, renderer: EventRenderer()).data, as: UTF8.self)
        #expect(
            data.hasPrefix(
                #"{"target":"web","address":"198.51.100.1","first_hop":2,"old":[["192.0.2.1"],["203.0.113.1"],"#
                    + #"["203.0.113.2"],["198.51.100.1"]],"new":[["192.0.2.1"],["203.0.113.9"],"#
            ),
            "\(data)"
        )
        scene.advance(.seconds(7_200))
        #expect(Self.events(scene).count == 1)
    }

    @Test("Off by default: no event, and daily traces")
    func off() throws {
        #expect(!ProbingSettings().reportsRouteChanges)
        let scene = try Self.scene(reports: false)
        scene.world.traceBehaviour = { (10_000_000, .reached($0, by: Self.new)) }
        scene.advance(.seconds(4 * 86_400))
        #expect(scene.world.traces.count == 5)
        #expect(Self.events(scene).isEmpty)
    }
}
