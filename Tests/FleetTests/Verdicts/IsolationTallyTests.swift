// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring
import Testing

@Suite("Isolated locations")
struct IsolationTallyTests {
    private static func facts(_ states: [(String, TargetState)], watchers: Int = 3) throws -> VerdictFacts {
        VerdictFacts(
            votes: states.map { Vote(location: $0.0, state: $0.1, cause: $0.1 == .up ? nil : .target, since: .zero) },
            placement: try Placement(watchers: watchers),
            now: .zero
        )
    }

    /// A tally of targets that berlin alone reports down.
    private static func tally(alone: Int) -> IsolationTally {
        var tally = IsolationTally()
        for number in 0..<alone { tally.record("t\(number)", aloneAgainst: vote("berlin")) }
        return tally
    }

    private static func vote(_ location: String, at second: Int = 1) -> LoneVote {
        LoneVote(location: location, since: .seconds(second))
    }

    private static func isolated(
        _ tally: IsolationTally,
        shared: Int,
        before: Set<String> = [],
        isComplete: Bool = true
    ) -> Set<String> {
        var tally = tally
        return tally.isolated(
            before: before,
            settled: .seconds(1),
            shared: { ["berlin": shared] },
            isComplete: isComplete
        )
    }

    @Test(
        "From ten targets and a fifth of the shared ones",
        arguments: [(9, 9, false), (10, 50, true), (10, 51, false), (10_000, 50_001, false)]
    )
    func begin(alone: Int, shared: Int, isIsolated: Bool) {
        #expect(Self.isolated(Self.tally(alone: alone), shared: shared) == (isIsolated ? ["berlin"] : []))
    }

    @Test(
        "Until there are less than half of one of them",
        arguments: [(5, 50, true), (4, 10, false), (5, 51, false), (0, 0, false)]
    )
    func end(alone: Int, shared: Int, isIsolated: Bool) {
        let tally = Self.tally(alone: alone)
        #expect(Self.isolated(tally, shared: shared, before: ["berlin"]) == (isIsolated ? ["berlin"] : []))
        #expect(Self.isolated(tally, shared: shared, before: ["berlin"], isComplete: false) == ["berlin"])
    }

    @Test("The shared targets are counted only when it matters")
    func lazily() {
        var tally = Self.tally(alone: 9)
        let isolated = tally.isolated(
            before: [],
            settled: .seconds(1),
            shared: {
                Issue.record("not needed")
                return [:]
            },
            isComplete: true
        )
        #expect(isolated.isEmpty)
    }

    @Test("When the first vote settles, before others that lost the same targets would have to agree")
    func settling() {
        var tally = IsolationTally()
        for number in 0..<20 { tally.record("t\(number)", aloneAgainst: Self.vote("berlin", at: 10 + number)) }
        func isolated(_ second: Int) -> Set<String> {
            tally.isolated(before: [], settled: .seconds(second), shared: { ["berlin": 20] }, isComplete: true)
        }
        #expect(isolated(9).isEmpty)
        #expect(isolated(10) == ["berlin"])
        // All but the first nine are down elsewhere, too.
        for number in 9..<20 { tally.record("t\(number)", aloneAgainst: nil) }
        #expect(isolated(19).isEmpty)
        // What a location has not reached for long does not hurry it.
        for number in 20..<40 { tally.record("t\(number)", aloneAgainst: Self.vote("berlin", at: 10 + number)) }
        #expect(isolated(29).isEmpty)
        #expect(isolated(30) == ["berlin"])
    }

    @Test("A target counts once, for the location that was alone last")
    func replacement() {
        var tally = Self.tally(alone: 2)
        tally.record("t0", aloneAgainst: Self.vote("berlin"))
        #expect(tally.count("berlin") == 2)
        tally.record("t0", aloneAgainst: Self.vote("paris"))
        #expect(tally.count("berlin") == 1 && tally.count("paris") == 1)
        #expect(tally.targets(of: ["paris"]) == ["t0"])
        for target in ["t0", "t1", "t2"] { tally.record(target, aloneAgainst: nil) }
        #expect(tally == IsolationTally())
    }

    @Test("Alone against, of three that judge the target; as if none was isolated")
    func alone() throws {
        var facts = try Self.facts([("berlin", .down), ("paris", .up), ("tokyo", .degraded)])
        #expect(facts.aloneAgainst?.location == "berlin")
        facts.isolated = ["berlin"]
        #expect(facts.aloneAgainst?.location == "berlin")
    }

    @Test("Not beside another that is against, not of two, and not of two that judge it")
    func notAlone() throws {
        #expect(try Self.facts([("berlin", .down), ("paris", .down), ("tokyo", .up)]).aloneAgainst == nil)
        #expect(try Self.facts([("berlin", .down), ("paris", .up)], watchers: 2).aloneAgainst == nil)
        #expect(try Self.facts([("berlin", .down), ("paris", .up), ("tokyo", .unknown)]).aloneAgainst == nil)
        #expect(try Self.facts([("berlin", .up), ("paris", .up), ("tokyo", .up)]).aloneAgainst == nil)
    }
}
