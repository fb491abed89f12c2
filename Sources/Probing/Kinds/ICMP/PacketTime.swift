// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// When a packet was sent, by both clocks: the kernel stamps arrivals with the one that may be set.
struct PacketTime {
    private let real: UInt64
    private let monotonic: UInt64

    init(real: UInt64, monotonic: UInt64) {
        self.real = real
        self.monotonic = monotonic
    }

    static func now() -> PacketTime {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return PacketTime(
            real: UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(time.tv_nsec),
            monotonic: SystemMonotonicClock().now()
        )
    }

    /// The nanoseconds until the kernel had the reply.
    ///
    /// - Parameters:
    ///   - kernelTime: When that was, by the clock that may be set; nil when the kernel did not say.
    ///   - now: The present, later than that; a round trip that seems longer than until now, or negative, means that
    ///     the clock was set, and the time until now is the best there is.
    func roundTrip(kernelTime: UInt64?, now: PacketTime = .now()) -> UInt64 {
        let bound = now.monotonic - monotonic
        guard let kernelTime, kernelTime >= real, kernelTime - real <= bound else { return bound }
        return kernelTime - real
    }
}
