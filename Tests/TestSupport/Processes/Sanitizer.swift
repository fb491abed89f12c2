// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// The sanitizer that the tests run under (scripts/sanitize).
public enum Sanitizer {
    /// Whether there is one: it keeps what was freed, to see it used, and wants /proc.
    public static let isActive = unsafe getenv("ASAN_OPTIONS") != nil || getenv("TSAN_OPTIONS") != nil

    /// How often something is to be repeated that takes five times as long under a sanitizer: a fifth as often there, since
    /// it looks at memory and threads, and the run without it looks at what comes out.
    ///
    /// - Parameter count: how often without one.
    public static func rounds(_ count: Int) -> Int {
        isActive ? max(1, count / 5) : count
    }
}
