// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Fleet

@Suite("When a node is cut off") struct CutOffTrackerTests {
    private let second: UInt64 = 1_000_000_000

    /// A tracker of a node that renewed its lease of 5 s each second until a time, and reported ten events in each.
    private func tracker(until end: UInt64) -> CutOffTracker {
        var tracker = CutOffTracker()
        for time in 1...end {
            tracker.extend(until: (time + 5) * second, at: time * second)
            tracker.renewed(at: time * second, reported: Int64(time) * 10)
        }
        return tracker
    }

    @Test("A minute after the lease ended, and not while it is valid")
    func patience() {
        var tracker = tracker(until: 100)
        #expect(tracker.deadline == 165 * second && !tracker.isCutOff)
        tracker.turn(at: 165 * second - 1)
        #expect(!tracker.isCutOff)
        tracker.turn(at: 165 * second)
        #expect(tracker.isCutOff && tracker.deadline == nil)
        // The standing changes with each attempt to connect.
        tracker.extend(until: 105 * second, at: 170 * second)
        #expect(tracker.isCutOff && tracker.deadline == nil)
        tracker.extend(until: 185 * second, at: 180 * second)
        #expect(!tracker.isCutOff && tracker.deadline == 245 * second)
    }

    @Test(
        "What was reported shortly before the database was lost may not have been sent: the position is an earlier one"
    )
    func baseline() {
        for end: UInt64 in [50, 57, 100] {
            let position = tracker(until: end).baseline
            #expect(position <= Int64(end - 10) * 10 && position >= Int64(end - 21) * 10, "\(position) after \(end)")
        }
        #expect(tracker(until: 1).baseline == 10)
        #expect(CutOffTracker().baseline == 0)
    }

    @Test("A process that was frozen, and one whose name is another's, is not cut off")
    func never() {
        var tracker = tracker(until: 10)
        tracker.turn(at: 90 * second)
        #expect(!tracker.isCutOff && tracker.deadline == 150 * second)
        tracker.turn(at: 150 * second)
        #expect(tracker.isCutOff)
        tracker.end()
        #expect(!tracker.isCutOff && tracker.deadline == nil)
    }
}
