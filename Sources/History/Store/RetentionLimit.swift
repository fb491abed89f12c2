// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How much a log may keep.
package struct RetentionLimit: Sendable, Hashable {
    /// How old an event may be.
    package var age: Duration
    /// How much room all of them may take, in bytes.
    package var bytes: UInt64

    /// Creates a limit.
    package init(age: Duration = .seconds(90 * 86_400), bytes: UInt64 = 1 << 30) {
        self.age = age
        self.bytes = bytes
    }

    /// Milliseconds of ``age``; what is too long to say is as long as can be said.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = age.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
        return isTooLong ? .max : whole + attoseconds / 1_000_000_000_000_000
    }
}
