// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Diagnosis
import TestSupport
import Testing

@testable import History
@testable import Monitoring

@Suite("Known routes in a file")
struct RouteTableTests {
    private static let rows = "SELECT count(*) FROM meta WHERE name LIKE 'route:%'"

    /// Has a target answer a trace.
    private static func learn(_ registry: Registry, _ id: UInt64, behind router: UInt32) {
        let gateway = Gateway(IPAddress(ipv4: 0xc000_0201))
        let hops = [RouteHop(1, [gateway.address]), RouteHop(2, [IPAddress(ipv4: router)])]
        registry.change { state in
            _ = state.ways.answered(id, IPAddress(ipv4: 0xcb00_7100 + UInt32(id) << 8), gateway, at: id)
            _ = state.ways.learn(id, hops, at: id, Int64(id))
        }
    }

    @Test("A crash in the first minute loses what was learned in the last 5 s; later routes are added")
    func crash() throws {
        let rig = try RollupRig()
        // The start writes what there is.
        rig.recorder.drain()
        for (id, count) in [(1, 1), (2, 2)] as [(UInt64, Int64)] {
            Self.learn(rig.registry, id, behind: 0x0a09_0102)
            rig.timers.advance(by: 4_900_000_000)
            for _ in 0..<3 { rig.recorder.drain() }
            #expect(try rig.file.count(Self.rows) == count - 1)
            rig.timers.advance(by: 100_000_000)
            for _ in 0..<3 { rig.recorder.drain() }
            #expect(try rig.file.count(Self.rows) == count)
        }
        // Killed.
        let (registry, recorder) = try rig.next()
        defer { recorder.stop() }
        #expect(registry.routes(after: nil)?.routes.map(\.seenAt) == [2, 1])
    }
}
