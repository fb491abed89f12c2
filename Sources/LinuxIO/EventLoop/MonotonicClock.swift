// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc

/// The time that timers run by; injected so that tests need not wait.
package protocol MonotonicClock: Sendable {
    /// Nanoseconds since an arbitrary start; never goes back.
    func now() -> UInt64
}

/// `CLOCK_MONOTONIC`.
package struct SystemMonotonicClock: MonotonicClock {
    /// Creates the clock.
    package init() {}

    /// Nanoseconds since boot, not counting suspension.
    package func now() -> UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }
}

/// `CLOCK_BOOTTIME`: for limits that others measure as well, such as leases, which end while this machine is suspended.
///
/// As an event loop's clock it makes no timer wake the machine: those that passed meanwhile fire after it resumed, when the loop
/// wakes for another reason or the remaining time has passed once more.
package struct SystemBootClock: MonotonicClock {
    /// Creates the clock.
    package init() {}

    /// Nanoseconds since boot, including suspension.
    package func now() -> UInt64 { nanoseconds(of: CLOCK_BOOTTIME) }
}

private func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    _ = unsafe clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

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

/// A deadline for several consecutive waits.
package struct Deadline: Sendable {
    private let moment: UInt64
    private let clock: any MonotonicClock

    /// - Parameters:
    ///   - limit: how long from now.
    ///   - clock: what time it is measured by.
    package init(after limit: Duration, clock: any MonotonicClock = SystemMonotonicClock()) {
        self.clock = clock
        moment = clock.now().addingReportingOverflow(limit.nanoseconds).partialValue
    }

    /// How long it still is; none when it is over.
    package var left: Duration {
        let now = clock.now()
        return moment > now ? .nanoseconds(Int64(clamping: moment - now)) : .zero
    }
}

/// What the kernel knows of its wall clock (adjtimex(2)).
package struct ClockState: Sendable {
    /// Whether it is synchronised to other clocks.
    package let isSynchronized: Bool
    /// By how much it may be wrong, as estimated, in microseconds.
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

/// The machine's clock, by which certificates are valid or not.
package enum SystemTime {
    /// The present moment in whole seconds since 1970 (`time(2)`).
    package static func now() -> Int64 { Int64(Glibc.time(nil)) }
}
