// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension Duration {
    /// Whole nanoseconds; 0 for less than nothing, and what does not fit is the most that does.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOver) = whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return isTooLong || isOver ? .max : sum
    }
}
