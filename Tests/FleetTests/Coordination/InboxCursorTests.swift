// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Fleet

@Suite("From where the coordinator reads the inbox")
struct InboxCursorTests {
    private static let second: UInt64 = 1_000_000_000

    /// A cursor that has read rows for two minutes, one id a second, beginning with `first`.
    private static func cursor(first: Int64 = 1) -> (cursor: InboxCursor, now: UInt64, next: Int64) {
        var cursor = InboxCursor()
        var now: UInt64 = 0
        for id in first..<(first + 120) {
            cursor.willLook(at: now)
            cursor.read([id], isFull: false, at: now)
            now += second
        }
        return (cursor, now, first + 120)
    }

    @Test("All rows are read at first and once a minute, and otherwise those above the floor")
    func positions() {
        var cursor = InboxCursor()
        cursor.willLook(at: 5)
        #expect(cursor.position == .min)
        cursor.read([7], isFull: true, at: 5)
        #expect(cursor.position == .min)
        cursor.read([], isFull: false, at: 6)
        #expect(cursor.position == 0)
        cursor.willLook(at: InboxCursor.interval)
        #expect(cursor.position == 0)
        cursor.willLook(at: InboxCursor.interval + 5)
        #expect(cursor.position == .min)
        cursor.foundNothing()
        #expect(cursor.position == 0)

        let (later, now, next) = Self.cursor()
        #expect((1..<next).contains(later.position))
        #expect(later.position >= next - 70, "at \(now)")
    }

    @Test("An id from far ahead hides no row after it")
    func farAhead() {
        for id in [Int64.max, 1 << 40] {
            var (cursor, now, next) = Self.cursor()
            cursor.read([next, id], isFull: false, at: now)
            for _ in 0..<200 {
                now += Self.second
                next += 1
                cursor.willLook(at: now)
                #expect(cursor.position < next)
                cursor.read([next], isFull: false, at: now)
            }
        }
    }

    @Test("Ids that are not far ahead, or that begin again, hide rows for a minute at most")
    func restart() {
        var (cursor, now, next) = Self.cursor(first: 1_000_000)
        next = 0
        var hidden = 0
        for _ in 0..<300 {
            now += Self.second
            next += 1
            cursor.willLook(at: now)
            guard cursor.position < next else {
                hidden += 1
                continue
            }
            cursor.read([next], isFull: false, at: now)
        }
        #expect(hidden <= 60)
    }

    @Test("Negative ids are read within a minute")
    func negative() {
        var (cursor, now, _) = Self.cursor()
        now += 60 * Self.second
        cursor.willLook(at: now)
        #expect(cursor.position < -5)
        cursor.read([-5], isFull: false, at: now)
    }
}
