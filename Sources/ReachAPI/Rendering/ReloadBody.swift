// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
package import Monitoring

/// The body of `/-/reload`.
extension JSONWriter {
    /// The maximum number of listed ids of one kind; their number is always included.
    static let reloadedIDs = 1_000

    mutating func reloadBody(_ report: ReloadOutcome.Report) {
        object { writer in
            writer.member("action", "reloaded")
            writer.member("targets") { writer in
                writer.member("added", report.changes.added)
                writer.member("updated", report.changes.updated)
                writer.member("removed", report.changes.removed)
                writer.member("unchanged", report.changes.unchanged)
            }
            writer.texts("added", report.added)
            writer.texts("updated", report.updated)
            writer.texts("removed", report.removed)
            writer.texts("superseded", report.superseded)
            writer.texts("settings", report.settings)
            writer.texts("awaiting_restart", report.awaitingRestart)
            writer.texts("warnings", report.warnings)
        }
    }

    private mutating func texts(_ name: StaticString, _ texts: [String]) {
        key(name)
        array(texts.prefix(Self.reloadedIDs)) { $0.string($1) }
    }
}

/// Declarations in the format of `/targets`, for comparison.
package enum DeclarationListing {
    /// An object with the members that only depend on the declaration, as in `/targets`.
    package static func document(_ settings: TargetSettings) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { $0.declaration(settings, fields: .all) }
        return writer.bytes
    }

    /// The members of a target that only depend on its declaration; the values of `fields`.
    package static let fields: [String] =
        ([.id, .name] + TargetField.allCases.drop { $0 != .kind }.prefix { $0 != .lastResult }).map(\.rawValue)
}
