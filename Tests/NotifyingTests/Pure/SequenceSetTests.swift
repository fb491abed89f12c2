// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import Notifying

@Suite struct SequenceSetTests {
    @Test("a set of ranges is the set of its numbers", arguments: UInt64(0)..<50)
    func likeASet(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var ranges = SequenceSet()
        var numbers: Set<UInt64> = []
        for _ in 0..<200 {
            let start = UInt64.random(in: 0...120, using: &random)
            let end = start + UInt64.random(in: 0...6, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                ranges.remove(through: start / 4)
                numbers = numbers.filter { $0 > start / 4 }
            case 2:
                ranges.remove(behind: 126 - start / 8)
                numbers = numbers.filter { $0 <= 126 - start / 8 }
                #expect(ranges.moved(by: 7).ranges.flatMap(Array.init) == numbers.map { $0 + 7 }.sorted())
            case 1:
                var other = SequenceSet(start...end)
                other.insert(start + 20)
                ranges.formUnion(other)
                numbers.formUnion(Array(start...end) + [start + 20])
            default:
                ranges.insert(start...end)
                numbers.formUnion(start...end)
            }
            #expect(Set(ranges.ranges.flatMap(Array.init)) == numbers)
            // None touches the next.
            for (left, right) in zip(ranges.ranges, ranges.ranges.dropFirst()) {
                #expect(left.upperBound + 1 < right.lowerBound)
            }
            for number in 0...130 as ClosedRange<UInt64> where ranges.contains(number) != numbers.contains(number) {
                Issue.record("\(number) in \(ranges.ranges)")
            }
        }
    }

    @Test("the ends of the numbers are numbers")
    func ends() {
        var set = SequenceSet(UInt64.max...UInt64.max)
        set.insert(0)
        set.insert(UInt64.max - 1)
        #expect(set.ranges == [0...0, UInt64.max - 1...UInt64.max])
    }

    @Test("an offset lists acknowledged sequences, and can be read from its text", arguments: UInt64(0)..<50)
    func marks(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var mark = ConsumerOffset(floor: 10)
        var settled = Set(0...10 as ClosedRange<UInt64>)
        for number in (11...80 as ClosedRange<UInt64>).shuffled(using: &random) {
            mark.acknowledge(number...number)
            settled.insert(number)
            #expect((0...90).allSatisfy { mark.isSettled($0) == settled.contains($0) })
            #expect(ConsumerOffset(mark.description) == mark)
        }
        #expect(mark == ConsumerOffset(floor: 80))
    }

    @Test("of many ranges the text of an offset keeps the first; the others are sent again")
    func bounded() throws {
        var mark = ConsumerOffset(floor: 0)
        for number in 1...500 as ClosedRange<UInt64> { mark.acknowledge(number * 2...number * 2) }
        let read = try #require(ConsumerOffset(mark.description))
        #expect(read.beyond.ranges.count == ConsumerOffset.rangeLimit)
        #expect((0...1_100).allSatisfy { !read.isSettled($0) || mark.isSettled($0) })
    }

    @Test(
        "a malformed offset is ignored",
        arguments: [
            "", " ", "x", "-1", "5 ", "5 7", "5 9-7", "5 6-", "18446744073709551615", "5 7-18446744073709551615",
        ]
    )
    func malformed(text: String) {
        #expect(ConsumerOffset(text) == nil)
    }

    @Test("an offset after the end of a log does not cover later sequences")
    func cut() throws {
        let mark = try #require(ConsumerOffset("10 14-25 30-30"))
        #expect(mark.cut(behind: 20).description == "10 14-20")
        #expect(mark.cut(behind: 14).description == "10 14-14")
        #expect(mark.cut(behind: 7) == ConsumerOffset(floor: 7) && mark.cut(behind: 99) == mark)
        #expect(mark.settled.ranges == [1...10, 14...25, 30...30] && ConsumerOffset(floor: 0).settled.isEmpty)
        #expect(
            mark.isSettled(3...10) && mark.isSettled(14...20) && !mark.isSettled(9...14) && !mark.isSettled(20...30)
        )
    }
}
