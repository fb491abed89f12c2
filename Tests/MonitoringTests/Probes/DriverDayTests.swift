// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

@Suite("24 hours of the driver")
struct DriverDayTests {
    @Test(
        "Random faults: no transition is lost, no target is stuck, all recover",
        arguments: [1, 2] as [UInt64]
    )
    func day(seed: UInt64) throws {
        let day = DriverDay(seed: seed)
        try day.run()
        #expect(day.faults.isEmpty, "\(day.faults.prefix(10)), \(day.faults.count) in all")
        #expect(day.transitions > 300)
        #expect(day.scene.world.startCount > 8_000)
    }

    @Test("Each start of a day is on the grid, without drift")
    func drift() throws {
        let scene = DriverScene()
        scene.world.behaviour = { _ in (1_700_000_000, .success) }
        var settings = try TargetSettings.probed("web", "127.0.0.9", interval: .seconds(60))
        settings.probe?.jitter = 0.1
        scene.apply([settings])
        scene.path(NetworkPath(flags: .reachable))
        scene.advance(.seconds(86_400))
        let starts = scene.world.starts.map(\.time)
        #expect((1439...1442).contains(starts.count))
        let schedule = try ProbeSchedule(id: "web", interval: .seconds(60), jitter: 0.1)
        for start in starts.dropFirst() {
            let turn = (start - schedule.phase + 30_000_000_000) / 60_000_000_000
            // Turns are taken in steps of 10 ms.
            #expect((0..<10_000_000).contains(start - schedule.due(ofTurn: turn)))
        }
        #expect(scene.driver.record.statistics.missed == 0)
    }
}
