// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import Fleet

@Suite("A round of decisions with one watcher")
struct SingleWatcherRoundTests {
    @Test("Each of several changes of one target in a batch is an event, in their order, and one new version")
    func severalChanges() throws {
        var scene = try FleetScene()
        scene.declare("a")
        let rows = [scene.row("a", .up), scene.row("a", .down), scene.row("a", .up), scene.row("a", .degraded)]
        let changes = scene.decide(rows)
        #expect(changes.inboxIDs == rows.map(\.id))
        #expect(
            changes.events.map(\.change) == [
                "a unknown > up - -", "a up > down target connect_refused", "a down > up - -",
                "a up > degraded target connect_refused",
            ]
        )
        #expect(changes.verdicts.map(\.verdict.version) == [1])
        #expect(changes.votes.map(\.vote.content.state) == [.degraded])
        #expect(scene.verdict("a")?.version == 2)
    }

    @Test(
        "A target that changes and changes back within a batch has a new version, without which its events are not written"
    )
    func changeBack() throws {
        var scene = try FleetScene()
        scene.declare("a")
        scene.decide([scene.row("a", .up)])
        let before = scene.verdict("a")
        let rows = [
            scene.row("a", .down, at: before?.since), scene.row("a", .up, at: before?.since),
        ]
        let changes = scene.decide(rows)
        #expect(changes.events.count == 2)
        #expect(changes.verdicts.count == 1)
    }

    @Test("A vote that repeats the last one is no event and no new version, but is done")
    func repetition() throws {
        var scene = try FleetScene()
        scene.declare("a")
        scene.decide([scene.row("a", .down)])
        let changes = scene.decide([scene.row("a", .down)])
        #expect(changes.events.isEmpty && changes.verdicts.isEmpty)
        #expect(changes.inboxIDs.count == 1)
    }

    @Test("Another cause, reason or sentence is an event from the state to itself, and the state's beginning stays")
    func reasonChanges() throws {
        var scene = try FleetScene()
        scene.declare("a")
        scene.decide([scene.row("a", .down)])
        let since = scene.verdict("a")?.since
        scene.now += .seconds(5)
        let changes = scene.decide([scene.row("a", .down, reason: "connection_reset")])
        #expect(changes.events.map(\.change) == ["a down > down target connection_reset"])
        #expect(scene.verdict("a")?.since == since)
        #expect(scene.verdict("a")?.detail == "berlin: connection_reset.")
    }

    @Test("An event names the observation's time, the former state's beginning and how the votes counted")
    func eventData() throws {
        var scene = try FleetScene()
        scene.declare("a")
        scene.now += .milliseconds(1500)
        let event = try #require(scene.decide([scene.row("a", .down)]).events.first)
        #expect(event.at == scene.now && event.group == "web" && event.tags == "{a,b}")
        #expect(
            event.data == """
                {"target":"a","from":"unknown","to":"down",\
                "reason":{"code":"connect_refused","detail":"berlin: connect_refused."},"cause":"target",\
                "previous_since":"1970-01-12T13:46:40.000Z",\
                "quorum":{"watchers":1,"needed":1,"well":0,"ill":0,"against":1,"void":0},\
                "at":"1970-01-12T13:46:41.500Z"}
                """
        )
    }

    @Test("A clock that is ahead is not believed, and no state begins before the one that it ends")
    func clocks() throws {
        var scene = try FleetScene()
        scene.declare("a")
        scene.now += .seconds(10)
        #expect(scene.decide([scene.row("a", .up, at: scene.now + .seconds(3600))]).events.map(\.at) == [scene.now])
        scene.now += .seconds(10)
        let since = try #require(scene.verdict("a")?.since)
        #expect(scene.decide([scene.row("a", .down, at: since - .seconds(60))]).events.map(\.at) == [since])
    }

    @Test("A declared target that is still unknown gets its reason without an event")
    func firstDecision() throws {
        var scene = try FleetScene()
        scene.targets["new"] = TargetStanding(
            id: "new",
            shard: FleetScene.shard,
            verdict: StoredVerdict(version: 0, state: .unknown, cause: .`self`, since: scene.now, rule: "no_location")
        )
        let changes = scene.decide(reevaluating: ["new"])
        #expect(changes.events.isEmpty)
        #expect(scene.verdict("new")?.reason == "not_evaluated")
        #expect(scene.decide([scene.row("new", .up)]).events.map(\.change) == ["new unknown > up - -"])
    }

    @Test("A reason that this version does not know is stored with the vote")
    func unknownReason() throws {
        var scene = try FleetScene()
        scene.declare("a")
        let changes = scene.decide([scene.row("a", .down, reason: "reason_of_2030")])
        #expect(changes.votes.first?.vote.content.reason == "reason_of_2030")
        #expect(changes.events.map(\.change) == ["a unknown > down target -"])
    }

    @Test("On random lives in random batches the events are the votes that differ from the one before")
    func randomLives() throws {
        var generator = SeededGenerator(seed: 20_261_124)
        let reasons = ["connect_refused", "connection_reset", "not_probed"]
        for life in 0..<300 {
            var scene = try FleetScene()
            let names = (0..<Int.random(in: 1...4, using: &generator)).map { "t\($0)" }
            for name in names { scene.declare(name) }
            var last = Dictionary(uniqueKeysWithValues: names.map { ($0, scene.verdict($0)) })
            var (expected, found): ([String], [String]) = ([], [])
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                var rows: [InboxRow] = []
                for _ in 0..<Int.random(in: 0...12, using: &generator) {
                    scene.now += .microseconds(Int64.random(in: 1...1_000_000, using: &generator))
                    let name = names[Int.random(in: 0..<names.count, using: &generator)]
                    let state = TargetState.allCases[Int.random(in: 0..<7, using: &generator)]
                    let cause = StateCause.allCases[Int.random(in: 0..<6, using: &generator)]
                    let reason = reasons[Int.random(in: 0..<reasons.count, using: &generator)]
                    let row = scene.row(name, state, cause: cause, reason: reason)
                    rows.append(row)
                    guard case .vote(_, let content) = row.content, let old = last[name] ?? nil else { continue }
                    var new = old
                    (new.state, new.cause, new.reason, new.detail) = (state, cause, reason, content.detail)
                    if state != old.state { new.since = row.at }
                    if !new.reportsSame(as: old) {
                        expected.append("\(name) \(old.state) > \(state) \(cause) \(reason) \(row.at)")
                    }
                    last[name] = new
                }
                found += scene.decide(rows).events.map {
                    "\($0.target) \($0.from) > \($0.to) \($0.cause.map { "\($0)" } ?? "") \($0.reason ?? "") \($0.at)"
                }
            }
            guard found == expected else {
                Issue.record("life \(life): \(found) but \(expected)")
                return
            }
            for name in names {
                let (verdict, model) = (scene.verdict(name), last[name] ?? nil)
                #expect(verdict?.state == model?.state && verdict?.since == model?.since)
            }
        }
    }
}
