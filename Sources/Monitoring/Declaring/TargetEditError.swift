// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why targets were not changed; nothing of the change was made.
package struct TargetEditError: Error, Sendable, Hashable {
    /// The reasons.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The body is not JSON.
        case malformed
        /// The body is JSON and no declaration of a target.
        case invalid
        /// There is a target with the id.
        case exists
        /// There is none.
        case unknown
        /// Somebody else declared it: the configuration file, a file of targets, or reachd itself.
        case readOnly
        /// The condition does not hold.
        case condition
        /// Other targets depend on it.
        case inUse
        /// There would be too many.
        case tooMany
        /// There is no room on the disk.
        case noSpace
        /// It could not be written down for another reason.
        case notWritten
    }

    /// One thing that is wrong with a body.
    package struct Fault: Sendable, Hashable {
        /// Where, as a JSON Pointer (RFC 6901) into the body; empty for the whole.
        package let pointer: String
        /// What kind of fault it is, in a word that never changes; nil where there are no kinds.
        package let code: String?
        /// What, in words.
        package let detail: String

        /// Creates a fault.
        package init(pointer: String, code: String? = nil, detail: String) {
            self.pointer = pointer
            self.code = code
            self.detail = detail
        }
    }

    /// The reason.
    package let code: Code
    /// The reason in words, with what to do about it.
    package let detail: String
    /// What is wrong with the body, where that is the reason.
    package let faults: [Fault]

    /// Creates an error.
    package init(_ code: Code, _ detail: String, faults: [Fault] = []) {
        self.code = code
        self.detail = detail
        self.faults = faults
    }
}
