// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension Duration {
    /// The whole nanoseconds, 0 for a negative duration, at most 2^63.
    var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow, product < 1 << 62 else { return 1 << 62 }
        return product + UInt64(attoseconds) / 1_000_000_000
    }

    /// In milliseconds with up to two decimals, for people: `12.34 ms`.
    var milliseconds: String {
        let hundredths = wholeNanoseconds / 10_000
        let rest = String(hundredths % 100)
        return "\(hundredths / 100).\(rest.count == 1 ? "0" : "")\(rest) ms"
    }
}
