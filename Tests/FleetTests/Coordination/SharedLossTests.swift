// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import Fleet

/// Three locations watch 77 targets, and each one four others alone. A lease is 5 s, and locations may disagree for 15 s.
@Suite("Locations that lose many targets")
struct SharedLossTests {
    private typealias Reports = [Int: [(target: String, location: String)]]

    private static let locations = ["berlin", "paris", "tokyo"]
    private static let names = (0..<77).map { "t\($0)" }

    private static func singles(_ location: String) -> [String] { (0..<4).map { "\(location)\($0)" } }

    /// A fleet in which all targets are up.
    private static func scene() throws -> FleetScene {
        var scene = try FleetScene(locations: locations)
        scene.settings.settle = .seconds(15)
        for name in names { scene.declare(name) }
        for location in locations {
            for name in singles(location) { scene.declare(name, watchedFrom: location) }
            let rows = (names + singles(location)).map { scene.row($0, .up, from: location) }
            scene.decide(rows)
        }
        return scene
    }

    /// A vote `down`, as by default of a target that does not answer; half of them have IPv6 addresses.
    private static func row(_ scene: inout FleetScene, _ target: String, from location: String, _ refused: Bool = false)
        -> InboxRow
    {
        let number = target.utf8.reduce(0) { ($0 * 31 + Int($1)) % 60_000 }
        let address =
            number.isMultiple(of: 2) ? "2001:db8:\(number)::1" : "198.51.\(number / 250).\(number % 250)"
        let cause = IncidentCause(refused ? .refusal : .silence, address)
        let code = refused ? "connect_refused" : "timeout"
        var content = VoteContent(state: .down, cause: .target, reason: code, detail: "No.", since: scene.now)
        content.fault = IncidentFault(cause, .target, code: code, detail: "No.")
        return scene.row(.vote(target: target, content), from: location)
    }

    /// What is reported at each millisecond: locations report all targets down within some seconds, in random order.
    private static func losses(of losers: [String], later: Int, seed: UInt64, singles: Bool = false) -> Reports {
        var generator = SeededGenerator(seed: seed)
        var reports: Reports = [:]
        for (index, location) in losers.enumerated() {
            for name in names + (singles ? Self.singles(location) : []) {
                let moment = index * later + Int.random(in: 0..<3_000, using: &generator)
                reports[moment, default: []].append((name, location))
            }
        }
        return reports
    }

    /// Plays reports in steps of 25 ms; returns the states that each target took.
    private static func play(
        _ reports: Reports,
        _ scene: inout FleetScene,
        seconds: Int,
        _ state: TargetState = .down
    ) -> [String: [TargetState]] {
        var states: [String: [TargetState]] = [:]
        let start = scene.now
        for step in 0..<(seconds * 40) {
            scene.now = start + .milliseconds(25 * step)
            var rows: [InboxRow] = []
            for report in (step * 25..<(step + 1) * 25).flatMap({ reports[$0] ?? [] }) {
                rows.append(
                    state == .up
                        ? scene.row(report.target, .up, from: report.location)
                        : row(&scene, report.target, from: report.location)
                )
            }
            for changes in [scene.decide(rows), scene.settle()] {
                for event in changes.events { states[event.target, default: []].append(event.to) }
            }
        }
        return states
    }

    private static func open(_ scene: FleetScene) -> [Incident] {
        var query = IncidentQuery()
        query.isOpen = true
        return scene.incidents.page(query).incidents
    }

    private static func actions(_ scene: FleetScene, _ action: IncidentChange.Action) -> Int {
        scene.incidentChanges.count { $0.action == action }
    }

    @Test(
        "Two that lose them together, the second later: each target is down once, and all are one incident",
        arguments: [0, 500, 2_500, 8_000]
    )
    func together(later: Int) throws {
        var scene = try Self.scene()
        let losers = ["tokyo", "berlin"]
        let states = Self.play(Self.losses(of: losers, later: later, seed: 77), &scene, seconds: 40)
        #expect(states.count == Self.names.count && states.values.allSatisfy { $0 == [.down] })
        #expect(scene.isolated.isEmpty)
        #expect(Self.open(scene).map(\.title) == ["Packets end after berlin: 77 targets down"])
        #expect(Self.actions(scene, .opened) == 1 && Self.actions(scene, .closed) == 0)
        _ = Self.play(Self.losses(of: losers, later: 0, seed: 1), &scene, seconds: 5, .up)
        #expect(Self.open(scene).isEmpty && Self.actions(scene, .opened) == 1 && Self.actions(scene, .closed) == 1)
    }

    @Test("Also when the votes of both come at once, and one target is down before: its incident is corrected")
    func atOnce() throws {
        var scene = try Self.scene()
        var reports: Reports = [0: [("t7", "berlin"), ("t7", "tokyo")]]
        for name in Self.names where name != "t7" {
            reports[1_000, default: []] += [(name, "berlin"), (name, "tokyo")]
        }
        let states = Self.play(reports, &scene, seconds: 20)
        #expect(states.count == Self.names.count && states.values.allSatisfy { $0 == [.down] })
        #expect(Self.open(scene).map(\.title) == ["Packets end after berlin: 77 targets down"])
        #expect(Self.actions(scene, .opened) == 1 && Self.actions(scene, .closed) == 0)
    }

    @Test("What a location watches alone, and loses together with the others, belongs to that location")
    func singles() throws {
        var scene = try Self.scene()
        let losses = Self.losses(of: ["tokyo", "berlin"], later: 500, seed: 79, singles: true)
        let states = Self.play(losses, &scene, seconds: 60)
        #expect(states.count == Self.names.count + 8 && states.values.allSatisfy { $0 == [.down] })
        let titles = Set(Self.open(scene).map(\.title))
        #expect(titles == ["Packets end after berlin: 81 targets down", "Packets end after tokyo: 4 targets down"])
        #expect(Self.actions(scene, .opened) == 2 && Self.actions(scene, .closed) == 0)
    }

    @Test(
        "One alone is isolated before a verdict shows that it disagrees, and before one is down that it watches alone",
        arguments: [78, 80, 81]
    )
    func alone(seed: UInt64) throws {
        var scene = try Self.scene()
        let losses = Self.losses(of: ["tokyo"], later: 0, seed: seed, singles: true)
        let states = Self.play(losses, &scene, seconds: 60)
        #expect(scene.isolated == ["tokyo"])
        #expect(Set(states.keys) == Set(Self.singles("tokyo")) && states.values.allSatisfy { $0 == [.unreachable] })
        #expect(Self.open(scene).map(\.title) == ["Packets end after tokyo: 4 targets unreachable"])
    }

    @Test("Hosts that fail at all locations are an incident each, also while two of these have lost others")
    func hosts() throws {
        var scene = try Self.scene()
        var reports: Reports = [:]
        for (index, location) in Self.locations.enumerated() {
            reports[index * 900] = [("t1", location), ("t2", location)]
        }
        var states = Self.play(reports, &scene, seconds: 10)
        #expect(states == ["t1": [.down], "t2": [.down]])
        #expect(Self.open(scene).count == 2)
        let others = Self.losses(of: ["tokyo", "berlin"], later: 500, seed: 82)
            .mapValues { $0.filter { $0.target != "t1" && $0.target != "t2" } }
        states = Self.play(others, &scene, seconds: 40)
        #expect(states.count == Self.names.count - 2)
        #expect(Self.open(scene).count == 3)
    }

    @Test("A few that two locations lose together are an incident each, when they might have lost many")
    func few() throws {
        var scene = try Self.scene()
        let few = Set(Self.names.prefix(IsolationTally.fewestTargets - 1))
        let losses = Self.losses(of: ["tokyo", "berlin"], later: 0, seed: 83)
            .mapValues { $0.filter { few.contains($0.target) } }
        let states = Self.play(losses, &scene, seconds: 19)
        #expect(states.count == few.count && states.values.allSatisfy { $0 == [.down] })
        #expect(Self.open(scene).count == few.count)
    }

    @Test("A target that one location watches waits a lease for others of that location, unless it answered")
    func waiting() throws {
        var scene = try Self.scene()
        scene.decide([Self.row(&scene, "berlin0", from: "berlin"), Self.row(&scene, "berlin1", from: "berlin", true)])
        #expect(scene.state("berlin0") == .up && scene.state("berlin1") == .down)
        #expect(scene.targets["berlin0"]?.disagreementDue == scene.now + .seconds(5))
        scene.now += .milliseconds(4_999)
        #expect(scene.settle().events.isEmpty)
        scene.now += .milliseconds(1)
        let events = scene.settle().events
        #expect(events.map(\.change) == ["berlin0 up > down target timeout"])
        #expect(events.map(\.at) == [scene.now - .seconds(5)])
        #expect(scene.targets["berlin0"]?.disagreementDue == nil)
        // One that answers meanwhile was never down.
        scene.decide([Self.row(&scene, "berlin2", from: "berlin")])
        let changes = scene.decide([scene.row("berlin2", .up)])
        #expect(changes.events.isEmpty && changes.agreed == ["berlin2"])
        // No location can be found isolated that shares few targets.
        var small = try FleetScene(locations: ["berlin"])
        small.declare("a")
        small.decide([small.row("a", .up)])
        small.decide([Self.row(&small, "a", from: "berlin")])
        #expect(small.state("a") == .down)
    }

    @Test("Another coordinator leaves them in the location's incident")
    func takeover() throws {
        var scene = try Self.scene()
        _ = Self.play(Self.losses(of: ["tokyo", "berlin"], later: 0, seed: 84), &scene, seconds: 20)
        let before = scene.incidentChanges.count
        (scene.losses, scene.tally) = (LossTally(), IsolationTally())
        for name in Self.names { scene.decide(reevaluating: [name]) }
        #expect(scene.incidentChanges.count == before)
        #expect(Self.open(scene).map(\.title) == ["Packets end after berlin: 77 targets down"])
    }
}
