// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc

/// What the kernel knows of its wall clock (adjtimex(2)).
package struct ClockState: Sendable {
    /// Whether somebody keeps it by other clocks.
    package let isSynchronized: Bool
    /// By how much it may be wrong, as that somebody estimates, in microseconds.
    package let maximumError: Int

    /// Asks; changes nothing and needs no privilege.
    package static func read() throws(SystemError) -> ClockState {
        var state = timex()
        let code = try systemCall("adjtimex") { unsafe adjtimex(&state) }
        // STA_UNSYNC is what decides; the return value also speaks of leap seconds.
        let isUnsynchronized = code == TIME_ERROR || state.status & STA_UNSYNC != 0
        return ClockState(isSynchronized: !isUnsynchronized, maximumError: Int(state.maxerror))
    }
}
