// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The state of a source of targets.
package struct DiscoverySourceStatus: Sendable, Hashable {
    /// The error of the last look.
    package struct Failure: Sendable, Hashable {
        /// The stable code.
        package let code: String
        /// The message, without secrets.
        package let message: String

        /// Creates an error.
        package init(code: String, message: String) {
            self.code = code
            self.message = message
        }
    }

    /// The source's name; `files` for the discovery files.
    package let name: String
    /// Its kind: `files`, or the key of its list in `discovery`.
    package let kind: String
    /// The number of its targets, including those that others override.
    package var targets = 0
    /// When its last successful look ended; nil before the first.
    package var lastSuccess: Timestamp?
    /// The error of the last look; nil if it succeeded, and before the first.
    package var failure: Failure?

    /// Creates the state before the first look.
    package init(name: String, kind: String) {
        self.name = name
        self.kind = kind
    }
}
