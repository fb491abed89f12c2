// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// An exchange that a test's HTTP client could not make sense of.
package struct HTTPFailure: Error, CustomStringConvertible {
    /// What went wrong.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
