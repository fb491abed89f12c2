// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// One name's resolution, shared by nothing: each name target has its own.
final class NameRecord {
    let name: String
    var resolution = Resolution(state: .pending)
    /// The question in flight.
    var query: (any NameQuery)?
    /// When to ask again.
    var timer: TimerToken?
    /// Failures in a row, for the back-off.
    var failures = 0
    /// When the addresses were last confirmed, in nanoseconds of the loop's clock.
    var confirmedAt: UInt64 = 0

    init(name: String) {
        self.name = name
    }
}
