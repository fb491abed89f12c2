// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@testable import Fleet

@Suite("Owners, parents and rejected rows in a round of decisions")
struct OwnerRoundTests {
    // MARK: Rejected rows

    @Test(
        "Rows of replaced assignments, of others than the owner and about unknown targets change nothing, and are done"
    )
    func rejections() throws {
        var scene = try FleetScene()
        scene.declare("a")
        scene.assign("berlin", to: "berlin-1", token: 5, confirmed: true)
        let elsewhere = InboxRow(
            id: 99,
            node: "oslo-1",
            key: FleetScene.key("oslo"),
            token: 5,
            at: scene.now,
            content: .confirmation
        )
        let rows = [
            scene.row("a", .down, token: 4), scene.row("a", .down, token: 6), scene.row("a", .down, node: "berlin-2"),
            scene.row("removed", .down), scene.row(.unreadable), scene.row(.confirmation, token: 4), elsewhere,
        ]
        let changes = scene.decide(rows)
        #expect(changes.inboxIDs == rows.map(\.id))
        #expect(
            changes.rejected == [
                .staleToken: 2, .notOwner: 1, .unknownTarget: 1, .unreadable: 1, .unknownAssignment: 2,
            ]
        )
        #expect(
            changes.votes.isEmpty && changes.verdicts.isEmpty && changes.events.isEmpty && changes.confirmed.isEmpty
        )
    }

    @Test("A vote under the shard that its target had before is rejected")
    func movedTarget() throws {
        var scene = try FleetScene()
        scene.declare("a")
        let row = scene.row("a", .down)
        scene.targets["a"] = scene.targets["a"].map {
            TargetStanding(id: "a", shard: Shard(placement: 1, number: 8), verdict: $0.verdict)
        }
        #expect(scene.decide([row]).rejected == [.unknownTarget: 1])
    }

    @Test("A target whose placement is not known is left alone")
    func unknownPlacement() throws {
        var scene = try FleetScene()
        scene.declare("a")
        scene.placements = [:]
        let changes = scene.decide([scene.row("a", .down)], reevaluating: ["a"])
        #expect(changes.events.isEmpty && changes.agreed.isEmpty && changes.inboxIDs.count == 1)
    }

    @Test("A disagreement about a target that is not declared any more is deleted")
    func removedTarget() throws {
        var scene = try FleetScene()
        #expect(scene.decide(reevaluating: ["removed"]).agreed == ["removed"])
    }

    // MARK: Owners

    @Test("A new owner's shard keeps the predecessor's vote, without an event, until it is too old")
    func unconfirmed() throws {
        var scene = try FleetScene()
        scene.declare("a")
        scene.decide([scene.row("a", .up)])
        scene.now += .seconds(10)
        scene.addNode("berlin-2", in: "berlin")
        scene.assign("berlin", to: "berlin-2", token: 2)
        let changes = scene.decide(reevaluating: ["a"])
        #expect(changes.isEmpty)
        let due = try #require(changes.due[FleetScene.shard])
        scene.now = due - .microseconds(1)
        #expect(scene.decide(reevaluating: ["a"]).isEmpty)
        scene.now = due
        #expect(scene.decide(reevaluating: ["a"]).events.map(\.change) == ["a up > unknown self no_location"])
        #expect(scene.decide([scene.row(.confirmation)]).confirmed == [FleetScene.key("berlin"): 2])
        #expect(scene.decide(reevaluating: ["a"]).events.map(\.change) == ["a unknown > up - -"])
    }

    @Test("A new owner's vote counts before it has confirmed the shard")
    func ownVote() throws {
        var scene = try FleetScene()
        scene.declare("a")
        scene.decide([scene.row("a", .up)])
        scene.assign("berlin", to: "berlin-1", token: 2)
        scene.decide([scene.row("a", .down)])
        scene.now += .seconds(1000)
        #expect(scene.decide(reevaluating: ["a"]).isEmpty)
        #expect(scene.state("a") == .down)
    }

    @Test("A confirmation counts for the rows after it in a batch")
    func confirmationInBatch() throws {
        var scene = try FleetScene(locations: ["berlin", "paris", "tokyo"])
        scene.declare("a")
        scene.decide([scene.row("a", .down, from: "berlin"), scene.row("a", .down, from: "paris")])
        scene.assign("berlin", to: "berlin-1", token: 2)
        scene.now += .seconds(60)
        scene.decide(reevaluating: ["a"])
        #expect(scene.state("a") == .unreachable)
        let changes = scene.decide([scene.row(.confirmation), scene.row("a", .up, from: "tokyo")])
        #expect(changes.events.map(\.to) == [.down])
    }

    @Test("The vote of a lost node is void beside live locations")
    func lost() throws {
        var scene = try FleetScene(locations: ["berlin", "paris", "tokyo"])
        scene.declare("a")
        scene.decide([scene.row("a", .down, from: "berlin"), scene.row("a", .down, from: "paris")])
        scene.decide([scene.row("a", .up, from: "tokyo")])
        #expect(scene.state("a") == .down)
        scene.now += .seconds(1)
        scene.lose("berlin-1")
        let changes = scene.decide(reevaluating: ["a"])
        #expect(changes.events.map(\.to) == [.up])
        #expect(scene.verdict("a")?.rule == "disagreement")
    }

    @Test("A target without any live node keeps its verdict for `unwatched_after`")
    func unwatched() throws {
        var scene = try FleetScene()
        scene.declare("a")
        scene.decide([scene.row("a", .up)])
        scene.now += .seconds(5)
        scene.lose("berlin-1")
        let loss = scene.now
        let changes = scene.decide(reevaluating: ["a"])
        #expect(changes.isEmpty)
        #expect(changes.due == [FleetScene.shard: loss + .seconds(30)])
        scene.now = loss + .seconds(30)
        let due = scene.decide(reevaluating: ["a"])
        #expect(due.events.map(\.change) == ["a up > unknown self unwatched"])
        #expect(due.due.isEmpty)
    }

    @Test("A shard that was taken from its only owner keeps its verdicts for `unwatched_after`, too")
    func unassigned() throws {
        var scene = try FleetScene()
        scene.declare("a")
        scene.decide([scene.row("a", .up)])
        scene.now += .seconds(5)
        scene.assign("berlin", to: nil, token: 2)
        #expect(scene.decide(reevaluating: ["a"]).due == [FleetScene.shard: scene.now + .seconds(30)])
        scene.now += .seconds(30)
        #expect(scene.decide(reevaluating: ["a"]).events.map(\.change) == ["a up > unknown self unwatched"])
    }

    @Test("A location that another one has replaced does not count")
    func replacedLocation() throws {
        var scene = try FleetScene()
        scene.declare("a")
        scene.decide([scene.row("a", .down)])
        scene.addNode("paris-1", in: "paris")
        scene.assign("berlin", to: nil, token: 2)
        scene.assign("paris", to: "paris-1", token: 2)
        let event = try #require(scene.decide([scene.row("a", .up, from: "paris")]).events.last)
        #expect(event.to == .up)
        #expect(event.data.contains(#""quorum":{"watchers":1,"needed":1,"well":1,"ill":0,"against":0,"void":0}"#))
    }

    /// A target that berlin found down before paris, where it is up, got it.
    private static func moved() throws -> FleetScene {
        var scene = try FleetScene()
        scene.declare("a")
        scene.decide([scene.row("a", .down)])
        scene.addNode("paris-1", in: "paris")
        scene.assign("berlin", to: nil, token: 2)
        scene.assign("paris", to: "paris-1", token: 2)
        scene.decide([scene.row("a", .up, from: "paris")])
        #expect(scene.state("a") == .up)
        return scene
    }

    @Test("The vote of a location that another one has replaced does not count again when that one's node is lost")
    func replacedAndLost() throws {
        var scene = try Self.moved()
        scene.now += .seconds(1)
        scene.assign("paris", to: nil, token: 3)
        #expect(scene.decide(reevaluating: ["a"]).events.isEmpty)
        scene.now += .seconds(30)
        #expect(scene.decide(reevaluating: ["a"]).events.map(\.change) == ["a up > unknown self unwatched"])
    }

    @Test("A location that gets a target back counts with what its node reports, and until then the one before it does")
    func returnedLocation() throws {
        var scene = try Self.moved()
        scene.now += .seconds(100)
        scene.assign("paris", to: nil, token: 3)
        scene.assign("berlin", to: "berlin-1", token: 3)
        #expect(scene.decide(reevaluating: ["a"]).events.isEmpty)
        #expect(scene.decide([scene.row("a", .degraded)]).events.map(\.to) == [.degraded])
        // Nothing is left of the vote of paris.
        #expect(scene.decide(reevaluating: ["a"]).events.isEmpty)
    }

    @Test("A location that gets a target back long after it was lost has no vote before its node reports")
    func returnedLate() throws {
        var scene = try Self.moved()
        scene.assign("paris", to: nil, token: 3)
        scene.now += .seconds(100)
        let berlin = AssignmentRecord(node: "berlin-1", token: 4, since: scene.now - .seconds(100))
        scene.assignments[FleetScene.key("berlin")] = berlin
        #expect(scene.decide(reevaluating: ["a"]).events.map(\.to) == [.unknown])
        #expect(scene.decide([scene.row("a", .up)]).events.map(\.to) == [.up])
    }

    @Test("A location that returns among others has no vote before its node reports when it was away for long")
    func returnedAmongOthers() throws {
        for (seconds, state) in [(10, TargetState.down), (40, .up)] {
            var scene = try FleetScene(locations: ["berlin", "paris", "tokyo"], quorum: 1)
            scene.declare("a")
            scene.decide(["berlin", "paris", "tokyo"].map { scene.row("a", .up, from: $0) })
            scene.decide([scene.row("a", .down)])
            let lost = scene.now
            scene.assign("berlin", to: nil, token: 2)
            scene.now += .seconds(seconds)
            scene.decide(reevaluating: ["a"])
            #expect(scene.state("a") == .up)
            scene.assignments[FleetScene.key("berlin")] = AssignmentRecord(node: "berlin-1", token: 3, since: lost)
            scene.decide(reevaluating: ["a"])
            #expect(scene.state("a") == state, "after \(seconds) s")
        }
    }

    // MARK: Parents

    @Test("A parent that is down makes its children unreachable with the next round, and its return ends that")
    func parents() throws {
        var scene = try FleetScene()
        scene.declare("gateway")
        scene.declare("child", dependsOn: ["gateway"])
        scene.decide([scene.row("gateway", .up), scene.row("child", .up)])
        let down = scene.decide([scene.row("gateway", .down)])
        #expect(down.blockingChanged == ["gateway"])
        #expect(
            scene.decide(reevaluating: ["child"]).events.map(\.change) == ["child up > unreachable parent parent_down"]
        )
        #expect(scene.decide([scene.row("gateway", .degraded)]).blockingChanged == ["gateway"])
        #expect(scene.decide(reevaluating: ["child"]).events.map(\.change) == ["child unreachable > up - -"])
        #expect(scene.decide([scene.row("gateway", .up)]).blockingChanged.isEmpty)
    }

    @Test("A parent that is down and up again within a batch leaves its children alone")
    func shortParentOutage() throws {
        var scene = try FleetScene()
        scene.declare("gateway")
        scene.decide([scene.row("gateway", .up)])
        #expect(scene.decide([scene.row("gateway", .down), scene.row("gateway", .up)]).blockingChanged.isEmpty)
    }
}
