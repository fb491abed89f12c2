// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension Duration {
    /// Whole nanoseconds; less than nothing is nothing, and what does not fit is 2^63 - 1, which can be added to any time of a
    /// ``MonotonicClock``.
    package var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong
            ? UInt64(Int64.max) : min(whole, UInt64(Int64.max) - 1_000_000_000) + UInt64(attoseconds / 1_000_000_000)
    }
}
