// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// Tells people at a terminal how far something is, a few times a second.
struct ProgressLine {
    private let isShown = isatty(STDERR_FILENO) == 1
    private var told: Int64 = .min

    mutating func tell(_ count: Int) {
        guard isShown else { return }
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let tenths = Int64(time.tv_sec) * 10 + Int64(time.tv_nsec) / 100_000_000
        guard tenths >= told + 2 || told == .min else { return }
        told = tenths
        StandardStream.error.write(Array("\r\(count) records".utf8))
    }

    func end() {
        if isShown, told != .min { StandardStream.error.write(Array("\r\u{1b}[K".utf8)) }
    }
}
