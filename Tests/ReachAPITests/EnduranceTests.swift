// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import History
import MonitoringTestSupport
import Probing
import Synchronization
import TestSupport
import Testing

import struct HTTPServer.HTTPHeader

@testable import Configuration
@testable import Monitoring
@testable import ReachAPI

/// What a call costs in time is compared by `Benchmarks/endurance`, over more calls.
@Suite("Many calls of each route") struct EnduranceTests {
    @Test("Repeated calls of every method of every route leak no memory")
    func heap() async {
        await #expect(processExitsWith: .success) {
            try EnduranceTrial.run()
        }
    }
}

/// Runs in a process of its own, because it measures the heap.
private struct EnduranceTrial {
    /// Calls before the first measurement: caches and the event log are full then, and so is the list of a thousand tickets.
    static func warmUp(_ route: Route) -> Int { route == .ticket ? 1_100 : 150 }
    /// Measurements, of which the smallest counts: what a buffer takes when it grows is no leak.
    static let windows = 4
    static let calls = 100
    /// Growth in bytes a call that a route may show: rounding, and no object.
    static let limit = 4
    /// Growth in bytes over all windows, for lists that grow in leaps.
    static let totalLimit = 64 << 10

    let rig: HistoryFixture
    let handler: RequestHandler
    let incident: String

    static func run() throws {
        let trial = try EnduranceTrial()
        for route in Route.allCases {
            for method in route.methods {
                for turn in 0..<warmUp(route) { trial.call(route, method, turn) }
                let growths = (0..<windows).map { _ in
                    let before = Heap.bytesInUse
                    for turn in 0..<calls { trial.call(route, method, turn) }
                    return Heap.bytesInUse - before
                }
                let isFlat = (growths.min() ?? 0) <= calls * limit && growths.reduce(0, +) <= totalLimit
                #expect(isFlat, "\(method.rawValue) \(route.rawValue): \(growths) bytes")
            }
        }
    }

    init() throws {
        rig = try HistoryFixture(capacity: 64)
        let fixture = rig.fixture
        fixture.registry.beginIncidents()
        fixture.registry.apply(targets: [
            try .probed("web"), try .calling("job"), .address("plain", "198.51.100.9"),
            .address("lost", "198.51.100.10"),
        ])
        fixture.emit("lost", .down())
        incident = try #require(fixture.registry.incidents(IncidentQuery()).incidents.first?.id)
        fixture.emit("web", .up())
        fixture.emit("plain", .up())
        handler = RequestHandler(
            registry: fixture.registry,
            service: ServiceInformation(version: "0.1.0", startedAt: Fixture.started),
            probes: fixture.probes,
            editing: fixture.book,
            past: HistoryReader(path: rig.path, rollups: rig.recorder),
            wiring: RequestHandler.ServiceDependencies(reload: { .reloaded(ReloadOutcome.Report()) }),
            clock: fixture.clock
        )
        var page = PublicPageSettings()
        page.groups = ["all"]
        handler.apply(page)
        let ping = ProbeKind.icmp(ICMPProbeSettings())
        let request = ProbeRequest(host: .name("target.invalid"), kind: ping, timeout: .seconds(1))
        handler.apply([ProbeModule(name: "http_2xx", template: request, hasPort: false, hasTimeout: true)])
    }

    /// Calls a method once, as a client with the right to do so, and takes the whole answer.
    private func call(_ route: Route, _ method: HTTPMethod, _ turn: Int) {
        let fixture = rig.fixture
        var path = route.rawValue.replacing("{file}", with: "style.css")
        var query: String?
        var body = ""
        var type = "application/json"
        switch (route, method) {
        case (.incident, _):
            path = path.replacing("{id}", with: incident)
            guard method == .patch else { break }
            type = "application/merge-patch+json"
            body = #"{"acknowledged_by":"\#(turn % 2)"}"#
        case (.heartbeat, _):
            path = path.replacing("{id}", with: "job")
        case (.pause, .post), (.resume, .post):
            path = path.replacing("{id}", with: "plain")
            fixture.registry.setPaused(route == .resume, target: "plain")
        case (.traffic, _):
            fixture.probes.state.withLock { $0.traffic["web"] = TrafficRouteTests.traffic() }
        case (.trace, .post):
            let trace = TraceRouteTests.trace(.reached, TraceRouteTests.routers, at: 1_000)
            fixture.probes.state.withLock { $0.trace = trace }
        case (.targets, .post):
            body = #"{"id":"new","host":"127.0.0.1"}"#
        case (.target, .put):
            path = "/targets/put"
            body = #"{"host":"127.0.0.1","name":"\#(turn % 2)"}"#
        case (.target, .patch):
            path = "/targets/put"
            type = "application/merge-patch+json"
            body = #"{"name":"\#(turn % 2)"}"#
        case (.declaration, _):
            path = "/targets/put/declaration"
        case (.check, .post):
            body = #"{"address":"127.0.0.1","probe":{"type":"icmp"}}"#
        case (.target, .delete):
            path = "/targets/gone"
            respond("PUT", path, nil, #"{"host":"127.0.0.1"}"#, type)
        case (.events, .get):
            query = "follow=false&snapshot=1"
        case (.uplinks, .get):
            query = turn % 2 == 0 ? "format=csv" : nil
        case (.probeScrape, .get), (.probeScrape, .head):
            query = "target=192.0.2.1"
        default:
            break
        }
        path = path.replacing("{id}", with: "web")
        let status = respond(method.rawValue, path, query, body, type)
        // A target that was not asked yet is not healthy, and this node belongs to no fleet.
        #expect(
            status < 400 || status == 503 && (route == .health || route == .readyz)
                || status == 404 && route.rawValue.hasPrefix("/fleet"),
            "\(method.rawValue) \(path)"
        )
        if route == .targets, method == .post { respond("DELETE", "/targets/new", nil, "", type) }
        // What the doubles collect is theirs.
        fixture.probes.state.withLock { $0 = FakeProbes.State() }
        if turn % 50 == 0 { rig.pass(seconds: 10) }
    }

    /// Responds, ends what was begun, and returns the status.
    @discardableResult
    private func respond(_ method: String, _ path: String, _ query: String?, _ body: String, _ type: String) -> Int {
        let response = handler.respond(
            to: HTTPRequest(
                method: method,
                path: path,
                query: query,
                headers: body.isEmpty ? [] : [HTTPHeader("Content-Type", type)],
                body: Array(body.utf8),
                peer: "127.0.0.1:4711"
            )
        )
        rig.fixture.probes.answer(.success)
        rig.fixture.probes.finish(ProbeReport(.success, at: Fixture.started, lag: .zero, diagnosis: nil))
        if case .stream(let source) = response.body {
            while case .bytes = source.next() {}
            source.didEnd()
        }
        return response.late?.status ?? response.status
    }
}
