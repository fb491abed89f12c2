// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What `reachd fleet apply` declares: the targets of one source, and the fleet's settings.
package struct FleetDocument: Sendable, Hashable {
    /// The name of the source; targets of other sources are left alone.
    package let source: String
    /// The version; a document is not replaced by one with a lower version. Nil for none.
    package let version: Int64?
    /// The digest of the settings and targets: equal for equal content.
    package let digest: String
    /// The settings; nil to leave them as they are.
    package let settings: FleetSettings?
    /// The targets; ids are unique.
    package let declarations: [FleetDeclaration]

    /// Creates a document.
    package init(
        source: String,
        version: Int64? = nil,
        digest: String,
        settings: FleetSettings? = nil,
        declarations: [FleetDeclaration]
    ) {
        self.source = source
        self.version = version
        self.digest = digest
        self.settings = settings
        self.declarations = declarations
    }
}

/// The difference between a document and what the database has of its source.
package struct FleetDifference: Sendable, Hashable {
    /// What the database had of the source; nil when it was never applied.
    package internal(set) var previous: FleetSource?
    /// The ids of new targets, in the order of the document.
    package internal(set) var added: [String] = []
    /// The ids of changed targets, in the order of the document.
    package internal(set) var updated: [String] = []
    /// The ids of targets that the document no longer has, sorted.
    package internal(set) var removed: [String] = []
    /// The ids of targets that another source declares, with its name; that is empty for those of API clients.
    package internal(set) var conflicts: [String: String] = [:]
    /// The names of changed settings.
    package internal(set) var settings: [String] = []

    /// Whether no target and no setting changes.
    package var isEmpty: Bool { count == 0 && settings.isEmpty }

    /// The number of targets that change.
    var count: Int { added.count + updated.count + removed.count }
}
