// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc

/// The machine's clock, by which certificates are valid or not.
package enum SystemTime {
    /// The present moment in whole seconds since 1970 (`time(2)`).
    package static func now() -> Int64 { Int64(Glibc.time(nil)) }
}
