// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why a text is not a regular expression that probes use.
package struct ProbePatternError: Error, Sendable, Hashable {
    /// One line for people.
    package let message: String
}

extension ProbePatternError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
