// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Synchronization
import Testing

@testable import ReachAPI

@Suite("Requests and streams while everything changes", .timeLimit(.minutes(2)))
struct ConcurrencyTests {
    @Test("Streams see every event once, in order, whoever else reads and writes")
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
}
