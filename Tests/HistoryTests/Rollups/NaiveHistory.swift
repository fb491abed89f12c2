// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

@testable import History

/// What the accumulator does, a second at a time and without a thought for what it costs.
struct NaiveHistory {
    struct Target {
        var state: TargetState
        /// The first second that was not counted yet.
        var mark: Int64
    }

    struct Key: Hashable {
        let target: UInt64
        let minute: Int64
    }

    var wall: Int64
    var targets: [UInt64: Target] = [:]
    private(set) var times: [Key: StateDurations] = [:]
    private(set) var probes: [Key: (all: UInt64, failed: UInt64)] = [:]

    init(wall: Int64) { self.wall = wall }

    mutating func pass(seconds: Int64) {
        for _ in 0..<seconds {
            for (number, target) in targets where wall >= target.mark {
                let minute = wall >= 0 ? wall / 60 : (wall - 59) / 60
                times[Key(target: number, minute: minute), default: StateDurations()][target.state] += 1_000
                targets[number]?.mark = wall + 1
            }
            wall += 1
        }
    }

    mutating func set(wall new: Int64) {
        wall = new
        for (number, target) in targets where wall > target.mark || target.mark - wall > 3_600 {
            targets[number]?.mark = wall
        }
    }

    mutating func probe(_ number: UInt64, fails: Bool) {
        guard let target = targets[number] else { return }
        // While the clock shows again what it showed, what happens is put where its time ended.
        let second = max(wall, target.mark)
        let minute = second >= 0 ? second / 60 : (second - 59) / 60
        probes[Key(target: number, minute: minute), default: (0, 0)].all += 1
        if fails { probes[Key(target: number, minute: minute), default: (0, 0)].failed += 1 }
    }
}
