// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Diagnosis
import TestSupport
import Testing

@testable import Monitoring

@Suite("Incidents: random histories")
struct IncidentHistoryTests {
    private static let causes: [(IncidentCause, FaultDistance)] = [
        (IncidentCause(.link, "eth0"), .path), (IncidentCause(.route, "no_route"), .path),
        (IncidentCause(.parent, "t0"), .parent), (IncidentCause(.parent, "t1"), .parent),
        (IncidentCause(.gateway, "192.0.2.1"), .network), (IncidentCause(.dns), .resolution),
        (IncidentCause(.router, "203.0.113.9"), .route), (IncidentCause(.refusal, "198.51.100.1"), .target),
        (IncidentCause(.hop, "203.0.113.8"), .route), (IncidentCause(.hop, "203.0.113.9"), .route),
        (IncidentCause(.hop, "192.0.2.1"), .route), (IncidentCause(.gateway, "192.0.2.1"), .route),
        (IncidentCause(.silence, "198.51.100.1"), .target), (IncidentCause(.silence, "198.51.100.2"), .target),
        (IncidentCause(.silence, "192.0.2.1"), .target),
    ]

    @Test("The book agrees with a naive model, and restarts change nothing", arguments: 0..<12)
    func random(_ part: Int) {
        for seed in 0..<100 {
            var random = SeededGenerator(seed: UInt64(part * 1_000 + seed))
            run(&random, seed: part * 1_000 + seed)
        }
    }

    private func run(_ random: inout SeededGenerator, seed: Int) {
        var scene = BookScene()
        var naive = NaiveIncidents()
        let targets = (0..<Int.random(in: 2...6, using: &random)).map { "t\($0)" }
        var failing: [String: Bool] = [:]
        for _ in 0..<Int.random(in: 5...60, using: &random) {
            scene.pass([1, 1_000, 60_000, 400_000].randomElement(using: &random) ?? 1)
            let target = targets.randomElement(using: &random) ?? "t0"
            let condition = condition(of: target, &random)
            let onset = onset(&random)
            scene.take(target, condition, onset: onset)
            naive.take(target, condition, onset: onset, at: scene.now)
            switch condition {
            case .failing: failing[target] = true
            case .up, .leaving: failing[target] = false
            case .unjudged: break
            }
            guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
            check(scene.settle(), scene)
            naive.settle()
            if Int.random(in: 0..<7, using: &random) == 0 {
                restart(&scene)
                naive.restart()
            }
            expectEqual(scene.book, naive, failing, seed)
        }
        for target in targets {
            scene.recover(target)
            naive.take(target, .up, onset: nil, at: scene.now)
        }
        check(scene.settle(), scene)
        naive.settle()
        expectEqual(scene.book, naive, [:], seed)
        #expect(scene.book.page(IncidentQuery()).openCount == 0, "seed \(seed)")
    }

    private func condition(of target: String, _ random: inout SeededGenerator) -> IncidentObservation.Condition {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: return .up
        case 2: return .unjudged
        case 3: return .leaving(IncidentMember.End.allCases.randomElement(using: &random) ?? .paused)
        default:
            let own = (IncidentCause(.target, target), FaultDistance.target)
            let (cause, distance) = (Self.causes + [own, own]).randomElement(using: &random) ?? own
            // The graph of parents has no cycles.
            let isUpward = cause.kind != .parent || cause.subject < target
            let (kept, far) = isUpward ? (cause, distance) : own
            let state: TargetState = [.down, .unreachable, .degraded].randomElement(using: &random) ?? .down
            return .failing(kept, far, state)
        }
    }

    private func onset(_ random: inout SeededGenerator) -> FaultOnset? {
        guard Bool.random(using: &random) else { return nil }
        var time: UInt64 { .random(in: 0...9, using: &random) }
        return FaultOnset(workedAt: time, failedAt: time, failingSince: time)
    }

    /// Through the stored form.
    private func restart(_ scene: inout BookScene) {
        let stored = scene.book.stored.compactMap { stored in
            Incident(stored: stored.incident.stored, number: stored.incident.number).map {
                StoredIncident($0, members: stored.members)
            }
        }
        var book = IncidentBook()
        book.restore(stored)
        let order = scene.book
        #expect(members(of: book) == members(of: order))
        // The order of a target's verdicts is not stored, but that of its incidents, and no times of the monotonic clock.
        book.memberships = order.memberships
        for (number, entry) in order.entries { book.entries[number]?.workedAt = entry.workedAt }
        book.causes = order.causes
        scene.book = book
    }

    /// The members as they are stored.
    private func members(of book: IncidentBook) -> [[IncidentMember]] {
        book.stored.map(\.members).map { members in
            members.map { member in
                var stored = member
                stored.unjudgedSince = nil
                return stored
            }
        }
    }

    private func check(_ changes: [IncidentChange], _ scene: BookScene) {
        for (index, change) in changes.enumerated() {
            // What began and ended in one step is told of twice.
            let isTwice = index + 1 < changes.count && changes[index + 1].incident.number == change.incident.number
            let isOver = !change.incident.isOpen && !isTwice
            #expect((change.action == .closed) == isOver)
            #expect(!isTwice || [.opened, .reopened].contains(change.action))
            #expect(change.joined.allSatisfy { isTwice || isOver || $0.until == nil })
            #expect(change.left.allSatisfy { $0.until != nil })
        }
    }

    private func expectEqual(_ book: IncidentBook, _ naive: NaiveIncidents, _ failing: [String: Bool], _ seed: Int) {
        let entries = book.numbers.compactMap { book.entries[$0] }
        #expect(entries.count == naive.cases.count, "seed \(seed)")
        for (entry, model) in zip(entries, naive.cases) {
            #expect(entry.incident.isOpen == model.isOpen, "seed \(seed)")
            #expect(entry.incident.closedAt == model.end, "seed \(seed)")
            #expect(entry.incident.isOpen == entry.members.contains { $0.until == nil }, "seed \(seed)")
            #expect(entry.members.map(\.target) == model.parts.map(\.target), "seed \(seed)")
            #expect(entry.members.map(\.turns) == model.parts.map(\.intervals.count), "seed \(seed)")
            #expect(entry.members.map(\.until) == model.parts.map { $0.intervals.last?.until }, "seed \(seed)")
            #expect(entry.members.map(\.distance) == model.parts.map(\.distance), "seed \(seed)")
            #expect(entry.incident.counts.open == model.parts.count(where: \.isOpen), "seed \(seed)")
            #expect(entry.incident.cause == model.cause, "seed \(seed)")
            #expect(entry.incident.counts.total == model.total, "seed \(seed)")
        }
        for entry in entries {
            let newest = entry.members.filter { $0.until == nil }.map { book.memberships[$0.target]?.last?.number }
            let isCovered = !newest.isEmpty && newest.allSatisfy { $0 != entry.incident.number }
            #expect((entry.incident.coveredBy != nil) == isCovered, "seed \(seed)")
            let coverer = entry.incident.coveredBy.flatMap { book.numbersByID[$0] }.flatMap { book.entries[$0] }
            #expect(
                !isCovered || coverer?.incident.isOpen == true && coverer?.incident.coveredBy == nil,
                "seed \(seed)"
            )
        }
        for (target, isFailing) in failing {
            let isMember = entries.contains { entry in
                entry.members.contains { $0.target == target && $0.until == nil }
            }
            #expect(isMember == isFailing, "seed \(seed), \(target)")
        }
    }
}
