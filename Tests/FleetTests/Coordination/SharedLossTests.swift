// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import Fleet

@Suite("Locations that lose many targets")
struct SharedLossTests {
    private static let locations = ["berlin", "paris", "tokyo"]
    private static let names = (0..<77).map { "t\($0)" }

    /// A fleet of three locations in which all targets are up.
    private static func scene() throws -> FleetScene {
        var scene = try FleetScene(locations: locations)
        scene.settings.settle = .seconds(15)
        for name in names { scene.declare(name) }
        scene.decide(names.flatMap { name in locations.map { scene.row(name, .up, from: $0) } })
        return scene
    }

    /// What is reported at each millisecond: locations report all targets down within some seconds, in random order.
    private static func losses(
        of losers: [String],
        later: Int,
        _ generator: inout SeededGenerator
    ) -> [Int: [(target: String, location: String)]] {
        var reports: [Int: [(target: String, location: String)]] = [:]
        for (index, location) in losers.enumerated() {
            for name in names {
                let moment = index * later + Int.random(in: 0..<3_000, using: &generator)
                reports[moment, default: []].append((name, location))
            }
        }
        return reports
    }

    /// Plays reports in steps of 25 ms; returns the states that each target took.
    private static func play(
        _ reports: [Int: [(target: String, location: String)]],
        _ scene: inout FleetScene,
        seconds: Int
    ) -> [String: [TargetState]] {
        var states: [String: [TargetState]] = [:]
        let start = scene.now
        for step in 0..<(seconds * 40) {
            scene.now = start + .milliseconds(25 * step)
            let rows = (step * 25..<(step + 1) * 25).flatMap { reports[$0] ?? [] }.map {
                scene.row($0.target, .down, from: $0.location, reason: "connect_timeout")
            }
            for changes in [scene.decide(rows), scene.settle()] {
                for event in changes.events { states[event.target, default: []].append(event.to) }
            }
        }
        return states
    }

    @Test("Two that lose them together, the second later: each is down once", arguments: [0, 500, 2_500, 8_000])
    func together(later: Int) throws {
        var generator = SeededGenerator(seed: 77)
        var scene = try Self.scene()
        let states = Self.play(Self.losses(of: ["paris", "berlin"], later: later, &generator), &scene, seconds: 40)
        #expect(states.count == Self.names.count && states.values.allSatisfy { $0 == [.down] })
        #expect(scene.isolated.isEmpty)
    }

    @Test("One alone is isolated before a verdict shows that it disagrees")
    func alone() throws {
        var generator = SeededGenerator(seed: 78)
        var scene = try Self.scene()
        let states = Self.play(Self.losses(of: ["tokyo"], later: 0, &generator), &scene, seconds: 40)
        #expect(states.isEmpty && scene.isolated == ["tokyo"])
    }
}
