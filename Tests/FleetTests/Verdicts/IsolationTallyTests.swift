// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring
import Testing

@Suite("Isolated locations")
struct IsolationTallyTests {
    private static func facts(_ states: [(String, TargetState)], now: Duration = .zero) throws -> VerdictFacts {
        VerdictFacts(
            votes: states.map { Vote(location: $0.0, state: $0.1, cause: $0.1 == .up ? nil : .target, since: .zero) },
            placement: try Placement(watchers: 3),
            now: now
        )
    }

    /// A tally of targets that berlin alone reports down, and of others that are up everywhere.
    private static func tally(alone: Int, up: Int) throws -> IsolationTally {
        var tally = IsolationTally()
        for _ in 0..<alone { tally.add(try facts([("berlin", .down), ("paris", .up), ("tokyo", .up)])) }
        for _ in 0..<up { tally.add(try facts([("berlin", .up), ("paris", .up), ("tokyo", .up)])) }
        return tally
    }

    @Test(
        "From ten targets and a fifth of the shared ones",
        arguments: [(9, 0, false), (10, 40, true), (10, 41, false)]
    )
    func limits(alone: Int, up: Int, isIsolated: Bool) throws {
        #expect(try Self.tally(alone: alone, up: up).isolated == (isIsolated ? ["berlin"] : []))
    }

    @Test("Not while another location is against, too, and not of two locations")
    func notAlone() throws {
        var tally = IsolationTally()
        for _ in 0..<20 {
            tally.add(try Self.facts([("berlin", .down), ("paris", .down), ("tokyo", .up)]))
            tally.add(try Self.facts([("berlin", .down), ("paris", .up)]))
            tally.add(try Self.facts([("berlin", .down), ("paris", .up), ("tokyo", .unknown)]))
        }
        #expect(tally.isolated.isEmpty)
    }

    @Test("A location that is marked as isolated is still counted, and what is taken back is gone")
    func removal() throws {
        var tally = try Self.tally(alone: 10, up: 0)
        var facts = try Self.facts([("berlin", .down), ("paris", .up), ("tokyo", .up)])
        facts.isolated = ["berlin"]
        tally.add(facts)
        tally.remove(facts)
        #expect(tally.isolated == ["berlin"])
        tally.remove(facts)
        #expect(tally.isolated.isEmpty)
        for _ in 0..<9 { tally.remove(facts) }
        #expect(tally == IsolationTally())
    }
}
