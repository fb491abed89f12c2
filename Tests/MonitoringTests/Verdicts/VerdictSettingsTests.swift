// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@Suite("Verdict settings")
struct VerdictSettingsTests {
    @Test("Defaults")
    func defaults() throws {
        let settings = try VerdictSettings()
        #expect((settings.fall, settings.rise) == (3, 2))
        #expect(settings.interval == .seconds(30))
        #expect(settings.confirmInterval == .seconds(5))
        #expect(settings.maximumInterval == .seconds(300))
        #expect(settings.backoffFactor == 1)
        #expect(settings.flapDetection == .standard)
        #expect(try VerdictSettings(interval: .seconds(2)).confirmInterval == .seconds(2))
        #expect(try VerdictSettings(interval: .seconds(900)).maximumInterval == .seconds(900))
    }

    @Test("Each setting that is out of its range is refused with its code")
    func refusals() {
        func code(_ make: () throws -> VerdictSettings) -> VerdictSettingsError.Code? {
            do { _ = try make() } catch { return (error as? VerdictSettingsError)?.code }
            return nil
        }
        for count in [0, -1, 101, .max, .min] {
            #expect(code { try VerdictSettings(fall: count) } == .fall)
            #expect(code { try VerdictSettings(rise: count) } == .rise)
        }
        for interval: Duration in [.zero, .seconds(-1), .milliseconds(99), .seconds(604_801), .seconds(Int64.max)] {
            #expect(code { try VerdictSettings(interval: interval) } == .interval)
            #expect(code { try VerdictSettings(confirmInterval: interval) } == .confirmInterval)
            #expect(code { try VerdictSettings(maximumInterval: interval) } == .maximumInterval)
        }
        #expect(code { try VerdictSettings(confirmInterval: .seconds(31)) } == .confirmInterval)
        #expect(code { try VerdictSettings(maximumInterval: .seconds(29)) } == .maximumInterval)
        for factor in [0, -1, 0.99, 1.05, 10.1, .nan, .infinity] {
            #expect(code { try VerdictSettings(backoffFactor: factor) } == .backoffFactor)
        }
        for window in [2, 65, -1] {
            #expect(throws: VerdictSettingsError.self) {
                try FlapSettings(window: window, lowPercent: 20, highPercent: 30)
            }
        }
        for (low, high) in [(0, 30), (30, 30), (40, 30), (50, 101)] {
            #expect(throws: VerdictSettingsError.self) {
                try FlapSettings(window: 20, lowPercent: low, highPercent: high)
            }
        }
    }
}
