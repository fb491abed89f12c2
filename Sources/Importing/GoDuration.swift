// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// Durations as Go writes them: `1h30m`, `1.5s`, `300ms`; of less than a millisecond nothing is left.
enum GoDuration {
    private static let units: [(name: String, milliseconds: Double)] = [
        ("ms", 1), ("us", 0.001), ("µs", 0.001), ("ns", 0.000_001), ("w", 604_800_000), ("d", 86_400_000),
        ("h", 3_600_000), ("m", 60_000), ("s", 1_000),
    ]

    /// Milliseconds; nil for what is no duration, or beyond a year.
    static func milliseconds(_ text: String) -> Int? {
        var rest = text[...]
        guard !rest.isEmpty else { return nil }
        if rest == "0" { return 0 }
        var total = 0.0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(digits.count)
            guard let number = Double(digits),
                let unit = units.first(where: { unit in
                    rest.hasPrefix(unit.name)
                })
            else { return nil }
            rest = rest.dropFirst(unit.name.count)
            total += number * unit.milliseconds
        }
        return total <= 31_536_000_000 ? Int(total.rounded()) : nil
    }

    /// The same duration in our words; nil as above.
    static func text(_ text: String) -> YAMLText? {
        milliseconds(text).map { .word(DurationText.text(milliseconds: max(1, $0))) }
    }
}
