// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Synchronization
import Testing

@testable import ReachAPI

@Suite("Requests and streams while everything changes", .timeLimit(.minutes(15)))
struct ConcurrencyTests {
    @Test("Streams get every event once, in order, beside other readers and writers")
    func together() async throws {
        let fixture = Fixture()
        fixture.registry.apply(targets: (0..<40).map { .address("t\($0)") })
        let streams = try (0..<4).map { try fixture.stream($0 % 2 == 0 ? "" : "?snapshot=1") }
        // A snapshot's position is its first page's: what it already shows is not told again.
        let opened = try streams.map { try $0.drain().last?.id.flatMap(EventID.init(parsing:))?.sequence }
        let start = fixture.registry.sequence
        #expect(opened.allSatisfy { $0 == start })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let ids = fixture.source.state.withLock { Array($0.requests.keys) }
                for round in 0..<12 as Range<UInt32> {
                    let path: NetworkPath = round % 2 == 0 ? .up(generation: round) : .cellular
                    fixture.registry.pathsDidChange(
                        ids.map { PathUpdate(id: $0, path: path, previous: nil, trigger: ChangeTrigger(.route)) }
                    )
                }
                fixture.registry.announce(.rejected(faults: ["the end"]))
            }
            for stream in streams {
                let (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
                fixture.registry.onEvents { continuation.yield() }
                continuation.yield()
                group.addTask {
                    var last = start
                    var isOver = false
                    for await _ in wakes {
                        for event in try stream.drain() {
                            isOver = isOver || event.type == "config"
                            guard let id = event.id.flatMap(EventID.init(parsing:)) else { continue }
                            #expect(id.sequence == last + 1)
                            last = id.sequence
                        }
                        if isOver { break }
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for index in 0..<100 {
                        #expect(fixture.respond("/status").status == 200)
                        #expect(fixture.respond("/targets/t\(index % 40)").status == 200)
                        #expect(fixture.respond("/targets?limit=20&state=up").status == 200)
                        let body = try fixture.json("/status")
                        #expect(body[["summary", "total"]] == .number(40))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Concurrent probe results, pauses and streams")
    func probing() async throws {
        let fixture = Fixture(hasProbes: true)
        let ids = (0..<8).map { "t\($0)" }
        fixture.registry.apply(targets: try ids.map { try .probed($0) })
        for id in ids { fixture.emit(id, .up()) }
        let (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        fixture.registry.onEvents { continuation.yield() }
        let stream = try fixture.stream("?include=result")
        _ = try stream.drain()
        let rounds = 300
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<rounds {
                    for id in ids { fixture.record(id, round % 3 == 0 ? .failure() : .success) }
                }
                fixture.registry.announce(.rejected(faults: ["the end"]))
            }
            group.addTask {
                for round in 0..<rounds {
                    let id = ids[round % ids.count]
                    #expect(fixture.post("/targets/\(id)/\(round % 2 == 0 ? "pause" : "resume")").status == 200)
                    let waiting = fixture.post("/targets/\(id)/probe")
                    guard case .deferred = waiting.body else { continue }
                    fixture.probes.finish(nil)
                    guard let late = waiting.late else {
                        Issue.record("The probe ended and the answer does not")
                        continue
                    }
                    _ = try JSONValue(parsing: late.bytes)
                }
            }
            group.addTask {
                for _ in 0..<rounds {
                    let brief = try fixture.stream("?include=result&snapshot=1")
                    _ = brief.next()
                    brief.didEnd()
                    let body = try fixture.json("/status")
                    #expect(body[["summary", "total"]] == .number(Double(ids.count)))
                }
            }
            group.addTask {
                var results = 0
                var isOver = false
                for await _ in wakes {
                    for event in try stream.drain() {
                        switch event.type {
                        case "result": results += 1
                        case "lagged": results += Int(event.data?["missed"]?.number ?? 0)
                        case "config": isOver = true
                        default: break
                        }
                    }
                    if isOver { break }
                }
                results += try stream.drain().filter { $0.type == "result" }.count
                #expect(results == rounds * ids.count)
            }
            try await group.waitForAll()
        }
        stream.didEnd()
        let place = fixture.registry.livePosition
        fixture.record("t0", .success)
        #expect(fixture.registry.livePosition == place)
    }
}
