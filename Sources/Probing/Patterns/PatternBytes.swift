// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Characters beyond ASCII as a regular expression over the bytes of their UTF-8.
enum PatternBytes {
    /// The smallest character beyond ASCII, and the largest.
    static let first: UInt32 = 0x80
    static let last: UInt32 = 0x10FFFF

    /// Sorted ranges that do not touch, of what is beyond ASCII and no surrogate.
    static func normalized(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var result: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            for part in [first...0xD7FF, 0xE000...last] where range.overlaps(part) {
                let own = range.clamped(to: part)
                guard let before = result.last, own.lowerBound <= before.upperBound + 1 else {
                    result.append(own)
                    continue
                }
                result[result.count - 1] = before.lowerBound...max(before.upperBound, own.upperBound)
            }
        }
        return result
    }

    /// What is beyond ASCII, no surrogate, and in none of the ranges.
    static func complement(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var result: [ClosedRange<UInt32>] = []
        var next = first
        for range in normalized(ranges) {
            if range.lowerBound > next { result.append(next...(range.lowerBound - 1)) }
            next = range.upperBound + 1
        }
        if next <= last { result.append(next...last) }
        return normalized(result)
    }

    /// The expressions of which one matches each character of the ranges, and nothing else.
    static func alternatives(_ ranges: [ClosedRange<UInt32>]) -> [[UInt8]] {
        var sequences: [[ClosedRange<UInt8>]] = []
        for range in normalized(ranges) { split(range.lowerBound, range.upperBound, &sequences) }
        return tree(sequences[...])
    }

    /// Splits a range into sequences of ranges of bytes: all characters of one have the same length, and each of its bytes
    /// takes all values of its range, whatever the others are.
    private static func split(_ low: UInt32, _ high: UInt32, _ sequences: inout [[ClosedRange<UInt8>]]) {
        for end in [0x7FF, 0xFFFF] as [UInt32] where low <= end && high > end {
            split(low, end, &sequences)
            return split(end + 1, high, &sequences)
        }
        let length = low <= 0x7FF ? 2 : low <= 0xFFFF ? 3 : 4
        for count in 1..<length {
            let mask: UInt32 = 1 << (6 * UInt32(count)) - 1
            guard low & ~mask != high & ~mask else { continue }
            if low & mask != 0 {
                split(low, low | mask, &sequences)
                return split((low | mask) + 1, high, &sequences)
            }
            if high & mask != mask {
                split(low, (high & ~mask) - 1, &sequences)
                return split(high & ~mask, high, &sequences)
            }
        }
        sequences.append(zip(bytes(low, length), bytes(high, length)).map { $0...$1 })
    }

    private static func bytes(_ scalar: UInt32, _ length: Int) -> [UInt8] {
        let lead: UInt32 = [0xC0, 0xE0, 0xF0][length - 2] | scalar >> (6 * UInt32(length - 1))
        let rest = (0..<(length - 1)).reversed().map { UInt8(0x80 | (scalar >> (6 * UInt32($0)) & 0x3F)) }
        return [UInt8(lead)] + rest
    }

    /// Joins sequences with the same beginning, which makes the expression small.
    private static func tree(_ sequences: ArraySlice<[ClosedRange<UInt8>]>) -> [[UInt8]] {
        var result: [[UInt8]] = []
        var rest = sequences
        while let sequence = rest.first {
            if sequence.count == 1 {
                let own = rest.prefix { $0.count == 1 }
                result.append(bracket(own.map { $0[0] }))
                rest = rest.dropFirst(own.count)
                continue
            }
            let own = rest.prefix { $0.count > 1 && $0[0] == sequence[0] }
            let tails = tree(own.map { Array($0.dropFirst()) }[...])
            result.append(bracket([sequence[0]]) + (tails.count == 1 ? tails[0] : group(tails)))
            rest = rest.dropFirst(own.count)
        }
        return result
    }

    /// Alternatives in parentheses.
    static func group(_ alternatives: [[UInt8]]) -> [UInt8] {
        Array("(".utf8) + alternatives.joined(separator: "|".utf8) + Array(")".utf8)
    }

    private static func bracket(_ ranges: [ClosedRange<UInt8>]) -> [UInt8] {
        if ranges.count == 1, ranges[0].count == 1 { return [ranges[0].lowerBound] }
        let inside = ranges.flatMap { range in
            range.count == 1 ? [range.lowerBound] : [range.lowerBound, UInt8(ascii: "-"), range.upperBound]
        }
        return [UInt8(ascii: "[")] + inside + [UInt8(ascii: "]")]
    }
}
