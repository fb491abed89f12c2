// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Monitoring

/// What came of reading the configuration again.
public enum ReloadOutcome: Sendable, Hashable {
    /// One thing that is wrong with it.
    public struct Fault: Sendable, Hashable {
        /// Where in the configuration, as a JSON Pointer (RFC 6901).
        public let pointer: String
        /// Where in the file, counted from one; nil for what is not in it.
        public let line: Int?
        /// Where in the line.
        public let column: Int?
        /// The kind of fault, a word that never changes.
        public let code: String
        /// What is wrong, in words.
        public let message: String

        /// Creates a fault.
        public init(pointer: String, line: Int?, column: Int?, code: String, message: String) {
            self.pointer = pointer
            self.line = line
            self.column = column
            self.code = code
            self.message = message
        }
    }

    /// What is different now.
    public struct Report: Sendable, Hashable {
        /// How many targets were added, changed, removed and left alone.
        public var changes = TargetChanges()
        /// The ids of the new ones.
        public var added: [String] = []
        /// The ids of those with other settings.
        public var updated: [String] = []
        /// The ids of those that are gone.
        public var removed: [String] = []
        /// The ids of targets of this interface that rest because the configuration has one of the same id.
        public var superseded: [String] = []
        /// The dotted names of other settings that changed.
        public var settings: [String] = []
        /// Those of them that wait for a restart.
        public var awaitingRestart: [String] = []
        /// What is odd about the configuration and does no harm, in words.
        public var warnings: [String] = []

        /// Nothing is different.
        public init() {}
    }

    /// It is in force.
    case reloaded(Report)
    /// It has faults, and the old one stays.
    case rejected([Fault])
}
