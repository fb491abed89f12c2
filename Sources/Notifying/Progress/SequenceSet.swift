// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Numbers of events, kept as ranges: what lies side by side costs nothing.
struct SequenceSet: Sendable, Hashable {
    /// The ranges in order, none touching the next.
    private(set) var ranges: [ClosedRange<UInt64>] = []

    init() {}

    init(_ range: ClosedRange<UInt64>) { ranges = [range] }

    var isEmpty: Bool { ranges.isEmpty }
    var first: UInt64? { ranges.first?.lowerBound }
    var last: UInt64? { ranges.last?.upperBound }

    func contains(_ number: UInt64) -> Bool {
        let place = firstIndex(endingAt: number)
        return place < ranges.count && ranges[place].contains(number)
    }

    mutating func insert(_ number: UInt64) { insert(number...number) }

    mutating func insert(_ range: ClosedRange<UInt64>) {
        // Those that overlap it or touch it become one with it; nearly always there is one, the last.
        let start = firstIndex(endingAt: range.lowerBound > 0 ? range.lowerBound - 1 : 0)
        var end = start
        var merged = range
        let reach = range.upperBound == .max ? .max : range.upperBound + 1
        while end < ranges.count, ranges[end].lowerBound <= reach {
            merged = min(merged.lowerBound, ranges[end].lowerBound)...max(merged.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: CollectionOfOne(merged))
    }

    mutating func formUnion(_ other: SequenceSet) {
        for range in other.ranges { insert(range) }
    }

    /// Takes the first range away.
    mutating func removeFirst() { ranges.removeFirst() }

    /// Forgets everything up to a number.
    mutating func remove(through number: UInt64) {
        while let range = ranges.first, range.lowerBound <= number {
            ranges.removeFirst()
            if range.upperBound > number { ranges.insert(number + 1...range.upperBound, at: 0) }
        }
    }

    /// Forgets everything behind a number.
    mutating func remove(behind number: UInt64) {
        while let range = ranges.last, range.upperBound > number {
            ranges.removeLast()
            if range.lowerBound <= number { ranges.append(range.lowerBound...number) }
        }
    }

    /// Forgets the first ranges, and keeps so many.
    mutating func keepLast(_ count: Int) { ranges = ranges.suffix(count) }

    /// The same numbers, each larger by this.
    func moved(by distance: UInt64) -> SequenceSet {
        var set = self
        set.ranges = ranges.map { $0.lowerBound + distance...$0.upperBound + distance }
        return set
    }

    /// The first range that ends at a number or later.
    private func firstIndex(endingAt number: UInt64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
