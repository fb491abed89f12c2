// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import JSON
import Monitoring
import PostgreSQL

/// What the fleet's log has of a change of a declaration.
struct TargetEvent: Sendable, Hashable {
    let target: String
    let group: String?
    /// The tags in the database's text form of an array.
    let tags: String
    /// The JSON object that clients receive, without its end: the database adds the time.
    let data: String

    /// - Parameters:
    ///   - action: what became of the declaration.
    ///   - declaration: the new declaration, or that of the removed target.
    ///   - settings: the same as nodes read it; nil when it cannot be read.
    ///   - origin: where it was declared.
    init(
        _ action: TargetAction,
        _ declaration: FleetDeclaration,
        _ settings: TargetSettings?,
        origin: TargetSettings.Origin
    ) {
        target = declaration.id
        group = declaration.group
        tags = DatabaseValue.texts(declaration.tags).literal
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.member("action", action.rawValue)
            writer.member("target") { writer in
                if var settings {
                    settings.origin = origin
                    writer.declaration(settings, fields: .all)
                } else {
                    writer.member("id", declaration.id)
                    writer.member("origin", origin.rawValue)
                }
                writer.watch(declaration.placement, isPartialUp: declaration.isPartialUp)
            }
        }
        data = String(decoding: writer.take().dropLast(), as: UTF8.self)
    }
}

extension JSONWriter {
    /// The member `watch` of a target: which locations watch it.
    package mutating func watch(_ placement: Placement, isPartialUp: Bool) {
        member("watch") { writer in
            writer.member("watchers", placement.watchers)
            writer.member("quorum", placement.quorum)
            if !placement.locations.isEmpty {
                writer.key("locations")
                writer.array(placement.locations) { $0.string($1) }
            }
            writer.member("partial", (isPartialUp ? TargetState.up : .degraded).rawValue)
        }
    }
}
