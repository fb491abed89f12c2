// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring
import Probing
import Testing

@Suite("The fleet's verdict by the votes of its locations")
struct FleetVerdictTests {
    private static let now = Duration.seconds(1_000)

    private static func vote(
        _ location: String,
        _ state: TargetState,
        _ cause: StateCause? = nil,
        _ reason: ReasonCode? = nil,
        since: Int = 900,
        owner: VoteOwner = .confirmed
    ) -> Vote {
        Vote(
            location: location,
            state: state,
            cause: cause,
            reason: reason,
            detail: reason.map { "\(location): \($0.rawValue)." },
            since: .seconds(since),
            owner: owner
        )
    }

    private static func facts(_ votes: [Vote], watchers: Int = 3, quorum: Int? = nil) throws -> VerdictFacts {
        VerdictFacts(votes: votes, placement: try Placement(watchers: watchers, quorum: quorum), now: now)
    }

    private static let refused = ReasonCode.probe(.connectRefused)
    private static let timeout = ReasonCode.probe(.connectionReset)

    @Test("Row Q1: a pause applies to the target, whatever its parent and the other votes are")
    func suspended() throws {
        var facts = try Self.facts([
            Self.vote("berlin", .down, .target), Self.vote("paris", .paused, nil, .paused),
            Self.vote("tokyo", .maintenance, nil, .maintenance),
        ])
        facts.blockingParent = "gateway"
        let verdict = FleetVerdict(facts)
        #expect(verdict.rule == .suspended)
        #expect(verdict.state == .paused)
        #expect(verdict.reason == .vote(.paused))
        #expect(verdict.cause == nil)
    }

    @Test("Row Q2: a parent that cannot be used takes precedence over votes against")
    func parent() throws {
        var facts = try Self.facts(["berlin", "paris", "tokyo"].map { Self.vote($0, .down, .target, Self.refused) })
        facts.blockingParent = "gateway"
        let verdict = FleetVerdict(facts)
        #expect(verdict.rule == .parentDown)
        #expect(verdict.state == .unreachable)
        #expect(verdict.cause == .parent)
        #expect(verdict.reason?.rawValue == "parent_down")
        #expect(verdict.detail == "It depends on gateway, which cannot be used.")
    }

    @Test("Row Q3: a quorum against; the target is to blame when one vote says so, and the reason is that vote's")
    func quorum() throws {
        var verdict = FleetVerdict(
            try Self.facts([
                Self.vote("berlin", .down, .target, Self.refused, since: 900),
                Self.vote("paris", .unreachable, .path, Self.timeout, since: 950), Self.vote("tokyo", .up),
            ])
        )
        #expect(verdict.rule == .quorum)
        #expect(verdict.state == .down)
        #expect(verdict.cause == .target)
        #expect(verdict.reason == .vote(Self.refused))
        #expect((verdict.counts.well, verdict.counts.against, verdict.counts.needed) == (1, 2, 2))

        verdict = FleetVerdict(
            try Self.facts([
                Self.vote("berlin", .unreachable, .path, Self.timeout),
                Self.vote("paris", .unreachable, .path, Self.timeout),
            ])
        )
        #expect(verdict.state == .down)
        #expect(verdict.cause == .path)
    }

    @Test("Row Q4: ill and against together make a quorum")
    func quorumDegraded() throws {
        let verdict = FleetVerdict(
            try Self.facts([
                Self.vote("berlin", .degraded, .target, Self.timeout), Self.vote("paris", .down, .target, Self.refused),
                Self.vote("tokyo", .up),
            ])
        )
        #expect(verdict.rule == .quorumDegraded)
        #expect(verdict.state == .degraded)
        #expect(verdict.cause == .target)
        #expect(verdict.reason == .vote(Self.timeout))
    }

    @Test("Row Q5: up while one location says so and none is against; void votes do not matter")
    func answering() throws {
        var verdict = FleetVerdict(
            try Self.facts([
                Self.vote("berlin", .up), Self.vote("paris", .unreachable, .localNetwork),
                Self.vote("tokyo", .unknown, .`self`),
            ])
        )
        #expect(verdict.rule == .answering)
        #expect(verdict.state == .up)
        #expect(verdict.reason == nil)
        #expect((verdict.counts.well, verdict.counts.void) == (1, 2))

        verdict = FleetVerdict(
            try Self.facts([
                Self.vote("berlin", .degraded, .target, Self.timeout), Self.vote("paris", .unreachable, .dns),
            ])
        )
        #expect(verdict.rule == .answering)
        #expect(verdict.state == .degraded)
        #expect(verdict.counts.void == 2)
    }

    @Test("Rows Q6 and Q7: a disagreement is pending until it settled, then shown with the locations")
    func disagreement() throws {
        var facts = try Self.facts([
            Self.vote("berlin", .down, .target, Self.refused), Self.vote("tokyo", .up), Self.vote("paris", .up),
        ])
        #expect(FleetVerdict(facts).pendingUntil == Self.now + facts.settle)
        facts.disagreeingSince = Self.now - facts.settle + .milliseconds(1)
        var verdict = FleetVerdict(facts)
        #expect(verdict.rule == .disagreement)
        #expect(verdict.state == .up)
        #expect(verdict.isPending)

        facts.disagreeingSince = Self.now - facts.settle
        verdict = FleetVerdict(facts)
        #expect(verdict.rule == .partlyDown)
        #expect(verdict.state == .degraded)
        #expect(verdict.cause == .path)
        #expect(verdict.reason?.rawValue == "partly_down")
        #expect(verdict.detail == "Down from berlin, up from paris and tokyo.")
        #expect(!verdict.isPending)

        facts.isPartialUp = true
        verdict = FleetVerdict(facts)
        #expect(verdict.rule == .partlyDown)
        #expect(verdict.state == .up)
        #expect(verdict.reason == nil)
    }

    @Test("Row Q8: too few votes against, and no other location can judge")
    func noQuorum() throws {
        let verdict = FleetVerdict(
            try Self.facts([
                Self.vote("berlin", .down, .target, Self.refused), Self.vote("paris", .unreachable, .localNetwork),
                Self.vote("tokyo", .up, owner: .lost(since: .seconds(990))),
            ])
        )
        #expect(verdict.rule == .noQuorum)
        #expect(verdict.state == .unreachable)
        #expect(verdict.cause == .localNetwork)
        #expect(verdict.reason?.rawValue == "no_quorum")
    }

    @Test(
        "Row Q9: no location can judge; the common cause, else the network",
        arguments: [
            ([StateCause.dns, .dns, nil], TargetState.unreachable, StateCause.dns),
            ([.dns, .parent, .dns], .unreachable, .localNetwork), ([nil, nil, nil], .unknown, .`self`),
        ]
    )
    func noLocation(causes: [StateCause?], state: TargetState, cause: StateCause) throws {
        let votes = zip(["berlin", "paris", "tokyo"], causes).map { location, cause in
            Self.vote(location, cause == nil ? .unknown : .unreachable, cause ?? .`self`)
        }
        let verdict = FleetVerdict(try Self.facts(votes))
        #expect(verdict.rule == .noLocation)
        #expect(verdict.state == state)
        #expect(verdict.cause == cause)
        #expect(verdict.reason?.rawValue == "no_location")
        #expect(verdict.detail == "No location can judge it, not even berlin, paris and tokyo.")
    }

    @Test("Row Q10: without a live node the last votes count for a while, then nothing is known")
    func unwatched() throws {
        var facts = try Self.facts([
            Self.vote("berlin", .down, .target, Self.refused, owner: .lost(since: .seconds(960))),
            Self.vote("paris", .down, .target, Self.refused, owner: .lost(since: .seconds(990))),
        ])
        #expect(FleetVerdict(facts).rule == .quorum)
        facts.now = .seconds(1_020)
        let verdict = FleetVerdict(facts)
        #expect(verdict.rule == .unwatched)
        #expect(verdict.state == .unknown)
        #expect(verdict.cause == .`self`)
        #expect(verdict.reason?.rawValue == "unwatched")
        #expect(FleetVerdict(try Self.facts([])).rule == .unwatched)
    }

    @Test("A predecessor's vote counts for the longer of three intervals and 30 s")
    func unconfirmed() throws {
        let owner = VoteOwner.unconfirmed(since: .seconds(910))
        var facts = try Self.facts([Self.vote("berlin", .up, owner: owner)], watchers: 1)
        facts.interval = .seconds(30)
        #expect(FleetVerdict(facts).state == .up)
        facts.interval = .seconds(29)
        let verdict = FleetVerdict(facts)
        #expect(verdict.rule == .noLocation)
        #expect(verdict.state == .unknown)
    }

    @Test("An isolated location's votes against are void, its positive votes count")
    func isolated() throws {
        var facts = try Self.facts([
            Self.vote("berlin", .down, .target, Self.refused), Self.vote("paris", .up), Self.vote("tokyo", .up),
        ])
        facts.isolated = ["berlin", "paris"]
        let verdict = FleetVerdict(facts)
        #expect(verdict.rule == .answering)
        #expect((verdict.counts.well, verdict.counts.against, verdict.counts.void) == (2, 0, 1))
    }

    @Test("A vote of a node without a result is that of a single node that just started")
    func awaited() throws {
        let vote = Vote.awaited(from: "berlin", since: .zero, owner: .confirmed)
        let verdict = FleetVerdict(try Self.facts([vote], watchers: 1))
        #expect(verdict.state == .unknown)
        #expect(verdict.reason?.rawValue == "not_evaluated")
        #expect(verdict.detail == "The target is not evaluated yet.")
    }

    @Test("Each code is read back, each row has its number")
    func codes() {
        for reason in FleetReason.ownCases + ReasonCode.allCases.map(FleetReason.vote) {
            #expect(FleetReason(rawValue: reason.rawValue)?.rawValue == reason.rawValue)
        }
        #expect(FleetReason(rawValue: "") == nil)
        #expect(FleetVerdictRule.allCases.map(\.row) == Array(1...10))
    }
}
