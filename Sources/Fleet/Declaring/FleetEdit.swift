// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// A change of the fleet's targets that an API client wants; bodies are JSON.
package enum FleetEdit: Sendable, Hashable {
    /// Adds one target, or with `{"targets": […]}` several, all or none.
    case add([UInt8])
    /// Adds a target with an id, or replaces its declaration.
    case put(String, [UInt8])
    /// Changes parts of a declaration by a merge patch (RFC 7396).
    case patch(String, [UInt8])
    /// Removes a target.
    case remove(String)
}

extension FleetEdit {
    /// The target of the path; nil without one.
    var id: String? {
        switch self {
        case .add: nil
        case .put(let id, _), .patch(let id, _), .remove(let id): id
        }
    }

    /// Whether it can make targets more.
    var canAdd: Bool {
        switch self {
        case .add, .put: true
        case .patch, .remove: false
        }
    }

    /// Whether the declarations stay the same whatever the database has.
    var canReuse: Bool {
        if case .add = self { true } else { false }
    }
}

/// What became of a ``FleetEdit``.
package struct FleetEditOutcome: Sendable, Hashable {
    /// The ids of added and changed targets, in the order of the body.
    package let ids: [String]
    /// Whether they are new.
    package let isNew: Bool
    /// Whether the body was a list of targets.
    package let isBatch: Bool
}

/// Why nothing was changed.
package enum FleetEditFailure: Error, Sendable, Hashable {
    /// The change cannot be made.
    case refused(TargetEditError)
    /// Other changes were made each time between reading and writing.
    case contended
    /// The database failed; after a timeout the change may have been made.
    case unavailable(FleetFault)
}

/// The version of a target's declaration. A number is not used twice within an epoch, not even by another target.
package struct FleetRevision: Sendable, Hashable {
    /// The run of the fleet's log.
    package let epoch: String
    /// The version of all declarations with the target's last change.
    package let version: Int64
    /// The version of all declarations when this was read.
    package let newest: Int64

    /// Creates a revision.
    package init(epoch: String, version: Int64, newest: Int64) {
        self.epoch = epoch
        self.version = version
        self.newest = newest
    }
}

/// Reads declarations in requests, by the schema and the rules of the configuration. Any thread.
package protocol FleetBodyReading: Sendable {
    /// Refuses a body that is no JSON, or no merge patch, whatever the database has.
    func check(_ body: [UInt8], isPatch: Bool) throws(TargetEditError)

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - body: one declaration or a list of them; with `id` only one.
    ///   - id: the id of the path; nil without one.
    ///   - base: the declaration that the body is a merge patch for; nil for a whole declaration.
    ///   - ancestors: the dependencies of each existing target that the declarations lead to; nil to check none.
    /// - Throws: everything that is wrong.
    func read(
        _ body: [UInt8],
        id: String?,
        patching base: FleetDeclaration?,
        among ancestors: [String: [String]]?
    ) throws(TargetEditError) -> FleetBody
}

/// The declarations of a body.
package struct FleetBody: Sendable, Hashable {
    /// The declarations, in the order of the body; ids are unique.
    package let declarations: [FleetDeclaration]
    /// Whether the body was a list of targets.
    package let isBatch: Bool

    /// Creates a value.
    package init(declarations: [FleetDeclaration], isBatch: Bool) {
        self.declarations = declarations
        self.isBatch = isBatch
    }

    /// The ids of all targets that these depend on.
    var parents: [String] { Set(declarations.flatMap(\.parents)).sorted() }
}
