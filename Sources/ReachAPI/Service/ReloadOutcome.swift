// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// The outcome of reloading the configuration.
package enum ReloadOutcome: Sendable, Hashable {
    /// One thing that is wrong with the configuration.
    package struct Fault: Sendable, Hashable {
        /// The position in the configuration, as a JSON Pointer (RFC 6901).
        package let pointer: String
        /// The line in the file, counted from one; nil for what is not in a file.
        package let line: Int?
        /// The column in the line.
        package let column: Int?
        /// The fault's code, which never changes.
        package let code: String
        /// The message.
        package let message: String

        /// Creates a fault.
        package init(pointer: String, line: Int?, column: Int?, code: String, message: String) {
            self.pointer = pointer
            self.line = line
            self.column = column
            self.code = code
            self.message = message
        }
    }

    /// The differences.
    package struct Report: Sendable, Hashable {
        /// The number of added, changed, removed and unchanged targets.
        package var changes = TargetChanges()
        /// The ids of added targets.
        package var added: [String] = []
        /// The ids of changed targets.
        package var updated: [String] = []
        /// The ids of removed targets.
        package var removed: [String] = []
        /// The ids of API targets that a target of the configuration with the same id overrides.
        package var superseded: [String] = []
        /// The dotted names of other changed settings.
        package var settings: [String] = []
        /// Those of them that need a restart.
        package var awaitingRestart: [String] = []
        /// Warnings about the configuration that do not prevent its use.
        package var warnings: [String] = []

        /// Nothing is different.
        package init() {}
    }

    /// The configuration is in force.
    case reloaded(Report)
    /// The configuration has faults, and the previous one stays in force.
    case rejected([Fault])
}
