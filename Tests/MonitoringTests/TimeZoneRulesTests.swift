// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import TestSupport
import Testing

@testable import Monitoring

/// The system's time zones (RFC 9636), beside Foundation's reading of the same files.
@Suite struct TimeZoneRulesTests {
    static let names = [
        "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kolkata",
        "Africa/Casablanca",
        "Pacific/Apia", "America/Argentina/Ushuaia", "Etc/GMT+5", "UTC", "Europe/Dublin", "Asia/Tehran",
    ]

    @Test("Offsets equal Foundation's at each hour around the transitions of many years", arguments: names)
    func offsets(name: String) throws {
        let zone = try #require(TimeZoneRules(name), "tzdata is not installed")
        let other = try #require(TimeZone(identifier: name))
        // Every 5 hours and some minutes, from 1971 to 2037: Foundation has no rule beyond the file's last transition.
        var time: Int64 = 31_536_000
        while time < 2_114_380_800 {
            let expected = Int64(other.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time))))
            guard zone.offset(at: time) == expected else {
                Issue.record("\(name) at \(time): \(zone.offset(at: time)), and not \(expected)")
                return
            }
            time += 18_377
        }
    }

    @Test("The last rule continues forever, in both hemispheres")
    func rule() throws {
        let berlin = try #require(TimeZoneRules("Europe/Berlin"))
        let sydney = try #require(TimeZoneRules("Australia/Sydney"))
        for year in [2_038, 2_100, 2_400] as [Int] {
            let winter = try #require(Timestamp(parsing: "\(year)-01-15T12:00:00Z")).milliseconds / 1_000
            let summer = try #require(Timestamp(parsing: "\(year)-07-15T12:00:00Z")).milliseconds / 1_000
            #expect(berlin.offset(at: winter) == 3_600 && berlin.offset(at: summer) == 7_200)
            #expect(sydney.offset(at: winter) == 39_600 && sydney.offset(at: summer) == 36_000)
        }
        // The last Sunday of March 2100 is the 28th, at one o'clock.
        let change = try #require(Timestamp(parsing: "2100-03-28T01:00:00Z")).milliseconds / 1_000
        #expect(berlin.offset(at: change - 1) == 3_600 && berlin.offset(at: change) == 7_200)
    }

    @Test(
        "Days without names, and names with digits",
        arguments: [
            ("EST5EDT,M3.2.0,M11.1.0", "2030-07-01T00:00:00Z", -14_400),
            ("EST5EDT,M3.2.0,M11.1.0", "2030-12-01T00:00:00Z", -18_000),
            ("<+0330>-3:30<+0430>,J79/24,J263/24", "2030-06-01T00:00:00Z", 16_200),
            ("XXX0YYY,59,J365", "2032-02-29T12:00:00Z", 3_600),
            ("<-03>3", "2030-01-01T00:00:00Z", -10_800), ("IST-1GMT0,M10.5.0,M3.5.0/1", "2030-01-01T00:00:00Z", 0),
        ]
    )
    func rules(text: String, moment: String, offset: Int64) throws {
        let rule = try #require(YearlyRule(text))
        #expect(rule.offset(at: try #require(Timestamp(parsing: moment)).milliseconds / 1_000) == offset)
    }

    @Test(
        "Local times that occur twice or never",
        arguments: [
            ("2026-03-29T02:30:00Z", "2026-03-29T01:30:00Z"), ("2026-10-25T02:30:00Z", "2026-10-25T00:30:00Z"),
            ("2026-10-25T03:00:00Z", "2026-10-25T02:00:00Z"), ("2026-03-29T01:59:59Z", "2026-03-29T00:59:59Z"),
            ("2026-07-01T12:00:00Z", "2026-07-01T10:00:00Z"),
        ]
    )
    func moments(local: String, moment: String) throws {
        let zone = try #require(TimeZoneRules("Europe/Berlin"))
        let local = try #require(Timestamp(parsing: local)).milliseconds / 1_000
        #expect(Timestamp(seconds: zone.moment(local: local)).description == moment.replacing("Z", with: ".000Z"))
    }

    @Test(
        "Invalid zones are rejected",
        arguments: [
            "", "Europe/Nowhere", "../../etc/passwd", "/etc/localtime", "zone.tab", "Europe", "a//b",
            "Europe/Berlin\u{0}",
        ]
    )
    func none(name: String) { #expect(TimeZoneRules(name) == nil) }

    @Test("Random bytes cause no crash") func noise() throws {
        let folder = FileManager.default.contents(atPath: "/usr/share/zoneinfo/Europe/Berlin").map { [UInt8]($0) }
        let bytes = try #require(folder)
        var generator = SeededGenerator(seed: 77)
        for _ in 0..<4_000 {
            var copy = bytes
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                copy[Int.random(in: 0..<min(copy.count, 200), using: &generator)] = .random(
                    in: 0...255,
                    using: &generator
                )
            }
            if Bool.random(using: &generator) {
                copy = Array(copy.prefix(Int.random(in: 0...copy.count, using: &generator)))
            }
            guard let zone = TimeZoneRules(name: "x", bytes: copy) else { continue }
            for time in [Int64.min / 4, -1, 0, 1_800_000_000, 4_102_444_800] { _ = zone.moment(local: time) }
        }
        for _ in 0..<20_000 {
            let letters = Array("M,./:-+<>JCES0123459T")
            let text = String(
                (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                    letters.randomElement(using: &generator) ?? "M"
                }
            )
            _ = YearlyRule("CET-1CEST," + text)?.offset(at: 1_800_000_000)
            _ = YearlyRule(text)?.offset(at: 1_800_000_000)
        }
    }
}
