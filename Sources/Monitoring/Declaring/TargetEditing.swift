// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Who changes targets while the service runs: what the HTTP interface writes to.
///
/// Changes are made one after another, each whole or not at all. A call may wait for a disk and for the path engine: never
/// from the engine's thread, and never from one that others wait for.
package protocol TargetEditing: AnyObject, Sendable {
    /// What must hold for a change, asked right before it, while nobody else changes targets. The record is nil where
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
    /// Removes a target.
    func remove(_ id: String, if condition: Condition) throws(TargetEditError)
}
