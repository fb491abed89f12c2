// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import Probing
import Testing

@testable import Monitoring

/// Heartbeats that came before this node had the target: its owner in a fleet was another one.
@Suite("Heartbeats of a while ago") struct EarlierHeartbeatTests {
    /// A target that calls each 20 s, with 2 s of grace.
    private final class Scene {
        let scene = DriverScene()

        init(resuming state: TargetState?, fall: Int = 1, rise: Int = 1) throws {
            var settings = TargetSettings.address("job", "127.0.0.1")
            let verdict = try VerdictSettings(fall: fall, rise: rise, interval: .seconds(20))
            settings.probe = ProbePlan(.heartbeat(grace: .seconds(2)), verdict: verdict)
            scene.registry.apply(targets: [settings], resuming: state.map { ["job": $0] } ?? [:])
            scene.applyCommands()
            scene.path(.up())
        }

        /// Takes a heartbeat; returns whether it counts.
        @discardableResult
        func heartbeat(_ result: ProbeResult = .success, age: Duration) throws -> Bool {
            let ordinal = try #require(scene.registry.target("job")?.target?.ordinal)
            var report: ProbeReport?
            scene.driver.heartbeat(ordinal, result, age: age) { report = $0 }
            scene.applyCommands()
            return report != nil
        }

        var state: TargetState? { scene.state("job") }
        var transitions: [TargetState] { scene.transitions("job") }
    }

    @Test(
        "The next one has to come an interval and grace after it, for a target that was up and for one without a state"
    )
    func deadline() throws {
        for state in [TargetState.up, nil] {
            let job = try Scene(resuming: state)
            #expect(try job.heartbeat(age: .seconds(15)))
            #expect(job.state == .up)
            job.scene.advance(.milliseconds(6_900))
            #expect(job.state == .up)
            job.scene.advance(.milliseconds(200))
            #expect(job.state == .down)
        }
    }

    @Test("One that is overdue shows at once that the target is down, and it was not up in between")
    func overdue() throws {
        for (state, age) in [(TargetState.up, 22), (.down, 90), (nil, 100_000_000)] as [(TargetState?, Int64)] {
            let job = try Scene(resuming: state)
            try job.heartbeat(age: .seconds(age))
            #expect(job.state == .down)
            #expect(!job.transitions.contains(.up))
            #expect(job.scene.registry.target("job")?.evaluation?.diagnosis?.reason == .heartbeatMissed)
        }
    }

    @Test("Missed ones count for an explicit fall", arguments: [(21, 45), (23, 43), (65, 1)])
    func fall(age: Int64, rest: Int64) throws {
        let job = try Scene(resuming: .up, fall: 3)
        try job.heartbeat(age: .seconds(age))
        #expect(job.state == .up)
        job.scene.advance(.seconds(rest) - .milliseconds(100))
        #expect(job.state == .up)
        job.scene.advance(.milliseconds(200))
        #expect(job.state == .down)
        let late = try Scene(resuming: .up, fall: 3)
        try late.heartbeat(age: .seconds(66))
        #expect(late.state == .down)
    }

    @Test("A reported failure keeps its words")
    func failure() throws {
        let job = try Scene(resuming: .down)
        try job.heartbeat(.heartbeat(isFailure: true, detail: "no tape"), age: .seconds(5))
        #expect(job.state == .down)
        #expect(job.scene.registry.target("job")?.reason?.detail == "no tape")
        try job.heartbeat(age: .zero)
        #expect(job.state == .up)
    }

    @Test("One that is older than another one is without effect")
    func order() throws {
        let job = try Scene(resuming: nil)
        try job.heartbeat(age: .zero)
        job.scene.advance(.seconds(5))
        #expect(try !job.heartbeat(.heartbeat(isFailure: true, detail: nil), age: .seconds(6)))
        #expect(job.state == .up)
        #expect(try job.heartbeat(.heartbeat(isFailure: true, detail: nil), age: .seconds(4)))
        #expect(job.state == .down)
    }
}
