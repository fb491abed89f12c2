// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Finds the name that was probably meant.
package enum NearestName {
    /// The candidate with the fewest typing errors from `name`, if it is near enough.
    ///
    /// A typing error is an extra, a missing or a wrong letter, or two neighbours swapped (optimal string alignment).
    package static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let name = Array(normalized(name).prefix(64))
        guard !name.isEmpty else { return nil }
        let tolerance = max(1, name.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let other = Array(normalized(candidate).prefix(64))
            guard abs(other.count - name.count) <= tolerance else { continue }
            let distance = distance(name, other)
            guard distance <= tolerance, distance < other.count else { continue }
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// `maxStreams`, `max-streams` and `MAX_STREAMS` all mean `max_streams`.
    private static func normalized(_ name: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in name.utf8.prefix(128) where byte != UInt8(ascii: "_") && byte != UInt8(ascii: "-") {
            bytes.append((0x41...0x5a).contains(byte) ? byte | 0x20 : byte)
        }
        return bytes
    }

    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            current.reserveCapacity(right.count + 1)
            for (column, other) in right.enumerated() {
                var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], other == left[row - 1] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
