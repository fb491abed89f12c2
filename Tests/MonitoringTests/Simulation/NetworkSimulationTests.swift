// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import Testing

/// Histories of networks whose faults are known: `SIMULATED_NETWORKS` tells how many, `SIMULATED_NETWORK_SEED` the first, which is then
/// printed when it is the only one.
@Suite("Simulated networks")
struct NetworkSimulationTests {
    /// As many as take less than 5 s in a debug build. `.ci/run` runs 2,000 with scripts/simulate.
    private static let standardCount = 50

    private static func variable(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test("The elements that verdicts name, and the incidents, are those that are broken")
    func histories() throws {
        let seed = Self.variable("SIMULATED_NETWORK_SEED")
        let count = Self.variable("SIMULATED_NETWORKS") ?? (seed == nil ? UInt64(Self.standardCount) : 1)
        let first = seed ?? 1
        var tally = SimulationTally()
        for number in first..<(first + count) {
            tally.add(try NetworkHistory(seed: number, isVerbose: count == 1).run())
        }
        print(tally.report)
        for mistake in tally.mistakes { print(mistake) }
        guard count > 1 else { return }
        // A few histories vary too much for the design's bounds, which scripts/simulate holds.
        #expect(tally.elements.share >= 0.98)
        #expect(tally.members.share >= 0.99)
        #expect(tally.deadHosts.share >= 0.95)
        #expect(tally.incidents.share >= 0.9)
        #expect(tally.healthy.share >= 0.999)
        #expect(tally.recovered.share >= 0.999)
        #expect(tally.steady.share >= 0.99)
    }

    @Test(
        "Histories that were read wrongly once",
        arguments: [
            (6, "a loop of one prefix"), (67, "a loop of one prefix"), (667, "a loop of one prefix"),
            (34, "no route to one prefix"), (166, "no route to one prefix"),
            (2, "a host that is reported as absent when another fault ends"), (30, "a host that is reported as absent"),
            (175, "a host that is reported as absent"), (7, "a gateway that reports what a trace showed"),
            (28, "probes that were under way when silence ended"),
            (476, "probes that were under way when silence ended"),
            (108, "a response by a way that only a neighbour's trace showed"),
            (171, "a report among silence"), (178, "a report among silence"),
        ] as [(UInt64, String)]
    )
    func repeated(seed: UInt64, what: String) throws {
        let tally = try NetworkHistory(seed: seed).run()
        #expect(tally.mistakes.isEmpty, "\(what)")
    }
}
