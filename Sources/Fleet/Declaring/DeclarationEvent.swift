// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import JSON
import Monitoring
import PostgreSQL

/// What the fleet's log has of a change of declarations: that of one target, or an applied file as a whole.
struct DeclarationEvent: Sendable, Hashable {
    let type: EventType
    /// The target; nil for a file.
    let target: String?
    let group: String?
    /// The tags in the database's text form of an array.
    let tags: String?
    /// The JSON object that clients receive, without its end: the database adds the time.
    let data: String

    /// The event of a target.
    ///
    /// - Parameters:
    ///   - action: what became of the declaration.
    ///   - declaration: the new declaration, or that of the removed target.
    ///   - settings: the same as nodes read it; nil to leave it out.
    ///   - origin: where it was declared.
    init(
        _ action: TargetAction,
        _ declaration: FleetDeclaration,
        _ settings: TargetSettings?,
        origin: TargetSettings.Origin
    ) {
        type = .target
        target = declaration.id
        group = declaration.group
        tags = DatabaseValue.texts(declaration.tags).literal
        data = Self.data { writer in
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
    }

    /// The event of an applied file.
    ///
    /// - Parameters:
    ///   - document: the file.
    ///   - difference: what changed.
    ///   - isListed: whether each added and changed target has an event of its own.
    init(_ document: FleetDocument, _ difference: FleetDifference, isListed: Bool) {
        type = .config
        (target, group, tags) = (nil, nil, nil)
        data = Self.data { writer in
            writer.member("action", ConfigurationChange.Action.applied.rawValue)
            writer.member("source", document.source)
            if let version = document.version { writer.member("version", version) }
            writer.member("targets") { writer in
                let (added, updated) = (difference.added.count, difference.updated.count)
                writer.member("added", added)
                writer.member("updated", updated)
                writer.member("removed", difference.removed.count)
                writer.member("unchanged", document.declarations.count - added - updated)
            }
            writer.member("is_listed", isListed)
            writer.key("settings")
            writer.array(difference.settings) { $0.string($1) }
        }
    }

    private static func data(_ members: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(reserving: 512)
        writer.object(members)
        return String(decoding: writer.take().dropLast(), as: UTF8.self)
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
