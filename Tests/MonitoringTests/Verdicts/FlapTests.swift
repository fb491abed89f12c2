// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
import Testing

@Suite("Flap detection")
struct FlapTests {
    private func machine(_ window: Int = 20, _ low: Int = 25, _ high: Int = 30) throws -> HealthStateMachine<Int> {
        let flap = try FlapSettings(window: window, lowPercent: low, highPercent: high)
        return HealthStateMachine(settings: try VerdictSettings(flapDetection: flap))
    }

    @Test("Begins at the higher threshold, ends below the lower one, each reported once")
    func hysteresis() throws {
        var machine = try machine()
        var changes: [Bool] = []
        for turn in 0..<20 {
            if machine.handle(.result(turn % 2 == 0 ? .success : .failure, nil)).flappingChanged {
                changes.append(machine.isFlapping)
            }
        }
        #expect(changes == [true])
        var calm = 0
        while machine.isFlapping, calm < 100 {
            if machine.handle(.result(.success, nil)).flappingChanged { changes.append(machine.isFlapping) }
            calm += 1
        }
        #expect(changes == [true, false])
        #expect((10...20).contains(calm))
    }

    @Test("The newest change weighs 1.2, the oldest 0.8: five new ones are 28.9 % of twenty, six are 34.4 %")
    func weights() throws {
        var machine = try machine()
        for turn in 0..<6 { _ = machine.handle(.result(turn % 2 == 0 ? .success : .failure, nil)) }
        #expect(!machine.isFlapping)
        _ = machine.handle(.result(.success, nil))
        #expect(machine.isFlapping)
        machine = try self.machine(20, 25, 28)
        for turn in 0..<6 { _ = machine.handle(.result(turn % 2 == 0 ? .success : .failure, nil)) }
        #expect(machine.isFlapping)
    }

    @Test("Suspension and sleep do not count as changes")
    func interruptions() throws {
        var machine = try machine(3, 1, 2)
        _ = machine.handle(.result(.success, nil))
        _ = machine.handle(.path(isSatisfied: false))
        _ = machine.handle(.path(isSatisfied: true))
        _ = machine.handle(.result(.failure, nil))
        _ = machine.handle(.suspended)
        _ = machine.handle(.result(.success, nil))
        #expect(!machine.isFlapping)
        _ = machine.handle(.result(.failure, nil))
        #expect(machine.isFlapping)
    }

    @Test("The largest window and no window")
    func bounds() throws {
        var machine = try machine(64, 99, 100)
        for turn in 0..<65 {
            #expect(!machine.isFlapping)
            _ = machine.handle(.result(turn % 2 == 0 ? .degraded : .failure, nil))
        }
        #expect(machine.isFlapping)
        var without = HealthStateMachine<Int>(settings: try VerdictSettings(flapDetection: nil))
        for turn in 0..<65 { _ = without.handle(.result(turn % 2 == 0 ? .degraded : .failure, nil)) }
        #expect(!without.isFlapping)
    }
}
