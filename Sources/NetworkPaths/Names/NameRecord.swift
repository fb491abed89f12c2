// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// One name's resolution, shared by nothing: each name target has its own.
final class NameRecord {
    let name: String
    var resolution = Resolution(state: .pending)
    /// Whether a look-up is in flight.
    var isAsking = false
    /// When to ask again.
    var timer: (token: TimerToken, due: UInt64)?
    /// Whether the network changed since the last look-up began.
    var isOutdated = false
    /// Whether the last answer came from a file: to ask again costs no packet.
    var isLocal = false
    var pace = RequeryPace()
    /// Failures in a row, for the back-off.
    var failures = 0
    /// When the addresses were last confirmed, in nanoseconds of the loop's clock.
    var confirmedAt: UInt64 = 0

    init(name: String) {
        self.name = name
    }
}
