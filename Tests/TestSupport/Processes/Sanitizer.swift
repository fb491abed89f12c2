// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// The sanitizer that the tests run under (scripts/sanitize).
package enum Sanitizer {
    /// Whether there is one: it keeps what was freed, to see it used, and wants /proc.
    package static let isActive = unsafe getenv("ASAN_OPTIONS") != nil || getenv("TSAN_OPTIONS") != nil
}
