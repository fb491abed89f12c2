// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Changes targets while the service runs, for the HTTP interface.
///
/// Changes are made one after another, each whole or not at all. A call may wait for a disk and for the path engine: never
/// from the engine's thread, and never from one that others wait for.
package protocol TargetEditing: AnyObject, Sendable {
    /// The condition of a change, evaluated right before it while no other thread changes targets. The record is nil if
    /// there is no such target.
    typealias Condition = @Sendable (StatusRecord?) -> Bool

    /// Where the targets that are added here are kept. Any thread; never waits.
    var storage: TargetStorage { get }

    /// Adds one target, or with `{"targets": […]}` several, all or none.
    ///
    /// - Parameter body: a declaration in JSON, as an element of `targets` in the configuration.
    /// - Returns: The new targets in the order of the body, and whether the body was a list.
    func add(_ body: [UInt8]) throws(TargetEditError) -> AddedTargets
    /// Adds a target, or gives one another declaration.
    func put(_ id: String, _ body: [UInt8], if condition: Condition) throws(TargetEditError) -> PutTarget
    /// Changes parts of a target's declaration as RFC 7396 has it.
    func patch(_ id: String, _ body: [UInt8], if condition: Condition) throws(TargetEditError) -> StatusRecord
    /// Reads a declaration as ``add(_:)`` does, and changes nothing; a target with its id may exist.
    func check(_ body: [UInt8]) throws(TargetEditError) -> TargetSettings
    /// The declaration of a target as it was last added, put or patched: JSON on one line, with its id. Nil for a target that this
    /// interface did not declare. Any thread; never waits for a disk.
    func declaration(of id: String) -> [UInt8]?
    /// Removes a target.
    func remove(_ id: String, if condition: Condition) throws(TargetEditError)
}

/// What ``TargetEditing/add(_:)`` added.
package struct AddedTargets: Sendable {
    /// What is known of each, in the order of the body.
    package let records: [StatusRecord]
    /// Whether the body was a list of targets.
    package let isBatch: Bool

    /// Collects records.
    package init(records: [StatusRecord], isBatch: Bool) {
        self.records = records
        self.isBatch = isBatch
    }
}

/// What ``TargetEditing/put(_:_:if:)`` did.
package struct PutTarget: Sendable {
    /// What is known of the target.
    package let record: StatusRecord
    /// Whether there was none before.
    package let isNew: Bool

    /// Creates a value.
    package init(record: StatusRecord, isNew: Bool) {
        self.record = record
        self.isNew = isNew
    }
}

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
        /// It was declared elsewhere: in the configuration file, in a discovery file, or by reachd itself.
        case readOnly
        /// The condition does not hold.
        case condition
        /// Other targets depend on it.
        case inUse
        /// There would be too many.
        case tooMany
        /// The disk is full.
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

/// Where the targets of API clients are stored.
package struct TargetStorage: Sendable, Hashable {
    /// How long they last; raw values are those of the HTTP interface.
    package enum Medium: String, Sendable, Hashable, CaseIterable {
        /// In a file: they survive a restart.
        case file
        /// In memory: they last until the service ends.
        case memory
        /// In a file that cannot be written now: changes are refused.
        case unavailable
    }

    /// How long they last.
    package var medium: Medium
    /// The file's path; nil for ``Medium/memory``.
    package var path: String?
    /// Why it is not a file that can be written, and what to do; nil for ``Medium/file``.
    package var detail: String?

    private init(_ medium: Medium, path: String? = nil, detail: String? = nil) {
        self.medium = medium
        self.path = path
        self.detail = detail
    }

    /// In a file.
    package static func file(_ path: String) -> TargetStorage { TargetStorage(.file, path: path) }

    /// In memory, for a reason.
    package static func memory(_ detail: String) -> TargetStorage { TargetStorage(.memory, detail: detail) }

    /// In a file that cannot be written, for a reason.
    package static func unavailable(_ path: String, _ detail: String) -> TargetStorage {
        TargetStorage(.unavailable, path: path, detail: detail)
    }
}
