// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// What came of reading the configuration again.
package enum ReloadOutcome: Sendable, Hashable {
    /// One thing that is wrong with it.
    package struct Fault: Sendable, Hashable {
        /// Where in the configuration, as a JSON Pointer (RFC 6901).
        package let pointer: String
        /// Where in the file, counted from one; nil for what is not in it.
        package let line: Int?
        /// Where in the line.
        package let column: Int?
        /// The kind of fault, a word that never changes.
        package let code: String
        /// What is wrong, in words.
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

    /// What is different now.
    package struct Report: Sendable, Hashable {
        /// How many targets were added, changed, removed and left alone.
        package var changes = TargetChanges()
        /// The ids of the new ones.
        package var added: [String] = []
        /// The ids of those with other settings.
        package var updated: [String] = []
        /// The ids of those that are gone.
        package var removed: [String] = []
        /// The ids of targets of this interface that rest because the configuration has one of the same id.
        package var superseded: [String] = []
        /// The dotted names of other settings that changed.
        package var settings: [String] = []
        /// Those of them that wait for a restart.
        package var awaitingRestart: [String] = []
        /// What is odd about the configuration and does no harm, in words.
        package var warnings: [String] = []

        /// Nothing is different.
        package init() {}
    }

    /// It is in force.
    case reloaded(Report)
    /// It has faults, and the old one stays.
    case rejected([Fault])
}
