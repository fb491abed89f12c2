// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Synchronization
import Testing

@testable import Monitoring

@Suite("The registry under several threads", .timeLimit(.minutes(15)))
struct RegistryConcurrencyTests {
    @Test("Concurrent writers, reloads and readers: no gaps in numbers, consistent counts")
    func together() async {
        var settings = EventLogSettings()
        settings.capacity = 1_000_000
        let registry = Registry(log: settings)
        let source = FakeSource()
        registry.connect(to: source)
        let list = (0..<400).map { TargetSettings.address("t\($0)") }
        registry.apply(targets: list)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // The engine's thread.
                for round in 0..<50 as Range<UInt32> {
                    let ids = source.state.withLock { Array($0.requests.keys) }
                    let path: NetworkPath = round % 2 == 0 ? .up(generation: round) : .down()
                    registry.pathsDidChange(
                        ids.map { PathUpdate(id: $0, path: path, previous: nil, trigger: ChangeTrigger(.route)) }
                    )
                    registry.environmentDidChange(NetworkEnvironment(supportsDNS: round % 3 == 0))
                }
            }
            group.addTask {
                for round in 0..<50 { registry.apply(targets: Array(list[(round % 7)...]), automatic: round % 2 == 0) }
            }
            group.addTask {
                var last: UInt64 = 0
                for _ in 0..<500 {
                    let slice = registry.changes(after: last, limit: 64)
                    for event in slice.events {
                        #expect(event.sequence == last + 1)
                        last = event.sequence
                    }
                    let overview = registry.overview
                    let page = registry.page(after: 0, limit: 1000)
                    #expect(overview.counts.total <= 400 + 34)
                    #expect(page.sequence >= overview.sequence)
                    _ = registry.target("t3")
                }
            }
        }
        registry.apply(targets: list)
        let overview = registry.overview
        #expect(overview.counts.total == 400)
        let records = registry.page(after: 0, limit: 1000).records
        #expect(records.count == 400)
        for state in TargetState.allCases {
            #expect(records.count { $0.state == state } == overview.counts[state])
        }
        let unjudged = records.count { $0.path == nil } + (overview.network.path == nil ? 1 : 0)
        #expect(overview.awaiting == unjudged)
    }
}
