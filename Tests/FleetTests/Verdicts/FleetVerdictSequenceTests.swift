// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring
import Probing
import TestSupport
import Testing

@Suite("The fleet's verdict on random votes")
struct FleetVerdictSequenceTests {
    /// 10^6 take minutes in a debug build.
    private static let rounds = 100_000
    private static let names = ["berlin", "oslo", "paris", "rome", "tokyo"]
    private static let causes: [StateCause?] = [nil, .target, .path, .localNetwork, .dns, .parent, .`self`]
    private static let reasons: [ReasonCode] = [.notEvaluated, .probe(.connectRefused), .probe(.connectionReset)]

    private static func owner(_ generator: inout SeededGenerator) -> VoteOwner {
        let since = Duration.seconds(Int.random(in: 0...100, using: &generator))
        return switch Int.random(in: 0..<8, using: &generator) {
        case 0: .lost(since: since)
        case 1: .unconfirmed(since: since)
        default: .confirmed
        }
    }

    private static func vote(_ location: String, _ generator: inout SeededGenerator) -> Vote {
        let index = Int.random(in: 0..<24, using: &generator)
        let state: TargetState =
            switch index {
            case 0..<8: .up
            case 8..<11: .degraded
            case 11..<17: .down
            case 17..<21: .unreachable
            case 21, 22: .unknown
            default: generator.once(in: 2) ? .paused : .maintenance
            }
        let reason = state == .up ? nil : reasons[Int.random(in: 0..<reasons.count, using: &generator)]
        return Vote(
            location: location,
            state: state,
            cause: state == .up ? nil : causes[Int.random(in: 0..<causes.count, using: &generator)],
            reason: reason,
            detail: reason.map { "\(location) \($0.rawValue)" },
            since: .seconds(Int.random(in: 0...5, using: &generator)),
            owner: owner(&generator)
        )
    }

    private static func facts(_ generator: inout SeededGenerator, watchers: Int) throws -> VerdictFacts {
        let quorum = generator.once(in: 3) ? Int.random(in: 1...watchers, using: &generator) : nil
        let assigned = names.shuffled(using: &generator).prefix(generator.once(in: 6) ? watchers - 1 : watchers)
        return VerdictFacts(
            votes: assigned.map { vote($0, &generator) },
            placement: try Placement(watchers: watchers, quorum: quorum),
            now: .seconds(100),
            blockingParent: generator.once(in: 12) ? "gateway" : nil,
            isolated: generator.once(in: 6) ? [names[Int.random(in: 0..<names.count, using: &generator)]] : [],
            disagreeingSince: generator.once(in: 3) ? nil : .seconds(Int.random(in: 80...100, using: &generator)),
            interval: .seconds(Int.random(in: 1...30, using: &generator)),
            isPartialUp: generator.once(in: 4)
        )
    }

    @Test("The same verdicts as a naive model, and each row applies")
    func random() throws {
        var generator = SeededGenerator(seed: 20_261_124)
        var rows: Set<Int> = []
        for round in 0..<Self.rounds {
            let facts = try Self.facts(&generator, watchers: Int.random(in: 1...5, using: &generator))
            let (verdict, model) = (NaiveFleetVerdict(FleetVerdict(facts)), NaiveFleetVerdict(facts))
            guard verdict == model else {
                Issue.record("round \(round), \(facts): \(verdict) but \(model)")
                return
            }
            rows.insert(model.row)
        }
        #expect(rows == Set(1...10))
    }

    @Test("With one watcher the verdict is the single node's: the vote itself, and the parent as H1 to H5 order it")
    func singleWatcher() throws {
        var generator = SeededGenerator(seed: 1)
        let placement = try Placement()
        for _ in 0..<20_000 {
            let vote = Self.vote("berlin", &generator)
            var facts = VerdictFacts(votes: [vote], placement: placement, now: .seconds(100))
            guard case .confirmed = vote.owner else { continue }
            facts.blockingParent = generator.once(in: 4) ? "gateway" : nil
            facts.disagreeingSince = generator.once(in: 2) ? .zero : nil
            let verdict = FleetVerdict(facts)
            let isSuspended = vote.state == .paused || vote.state == .maintenance
            let isPathDown = vote.state == .unreachable && vote.cause != .path
            if facts.blockingParent != nil, !isSuspended, !isPathDown {
                #expect(verdict.state == .unreachable && verdict.cause == .parent)
                #expect(verdict.reason == .vote(.parentDown))
                continue
            }
            let isVote =
                verdict.state == vote.state && verdict.cause == vote.cause && verdict.detail == vote.detail
                && verdict.reason == vote.reason.map(FleetReason.vote)
            guard isVote, verdict.pendingUntil == nil else {
                Issue.record("\(vote): \(verdict)")
                return
            }
        }
    }
}
