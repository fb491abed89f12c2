// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Statuses as `200-299,304`.
package struct HTTPStatusRanges: Sendable, Hashable {
    /// The ranges, in the order they were written.
    package let ranges: [ClosedRange<Int>]

    /// What is right unless something else is asked for: 200 to 299.
    package static let successful = HTTPStatusRanges(ranges: [200...299])

    /// Creates ranges.
    package init(ranges: [ClosedRange<Int>]) {
        self.ranges = ranges
    }

    /// Reads numbers and ranges of numbers from 100 to 999, with commas between; nil for anything else.
    package init?(_ text: String) {
        var ranges: [ClosedRange<Int>] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map(Self.status)
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2, first <= last else {
                return nil
            }
            ranges.append(first...last)
        }
        self.init(ranges: ranges)
    }

    /// Whether a status is in one of them.
    package func contains(_ status: Int) -> Bool { ranges.contains { $0.contains(status) } }

    private static func status(_ text: Substring) -> Int? {
        let digits = text.drop { $0 == " " }.prefix { $0 != " " }
        guard text.allSatisfy({ $0 == " " || ("0"..."9").contains($0) }), digits.utf8.count == 3 else { return nil }
        return Int(digits).flatMap { $0 >= 100 ? $0 : nil }
    }
}

extension HTTPStatusRanges: CustomStringConvertible {
    /// As it is read.
    package var description: String {
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
    }
}
