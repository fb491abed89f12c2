// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// What the coordinator tells about nodes and locations: their changes since the newest event about each.
struct Announcement: Sendable, Hashable {
    /// A change of a node's state.
    struct NodeChange: Sendable, Hashable {
        let name: String
        let location: String
        /// The state in the newest event; empty for a new node.
        let from: String
        let to: FleetNodeState
    }

    /// A location that became isolated, or is not any more.
    struct LocationChange: Sendable, Hashable {
        let location: String
        let isIsolated: Bool
        /// The number of targets that it alone reports down.
        let alone: Int
        /// The number of targets that it shares with two others or more.
        let shared: Int
    }

    /// The nodes, at most one change of each.
    var nodes: [NodeChange] = []
    /// The locations.
    var locations: [LocationChange] = []

    /// Whether there is nothing to tell.
    var isEmpty: Bool { nodes.isEmpty && locations.isEmpty }
}

extension Announcement.NodeChange {
    /// The event for clients.
    func data(at moment: Duration) -> String {
        var writer = JSONWriter(reserving: 160)
        writer.object { writer in
            writer.member("node", name)
            writer.member("location", location)
            if !from.isEmpty { writer.member("from", from) }
            writer.member("to", to.rawValue)
            writer.member("at", Timestamp(moment))
        }
        return String(decoding: writer.take(), as: UTF8.self)
    }
}

extension Announcement.LocationChange {
    /// The event for clients.
    func data(at moment: Duration) -> String {
        var writer = JSONWriter(reserving: 160)
        writer.object { writer in
            writer.member("location", location)
            writer.member("isolated", isIsolated)
            writer.member("down_alone", Int64(alone))
            writer.member("shared", Int64(shared))
            writer.member("at", Timestamp(moment))
        }
        return String(decoding: writer.take(), as: UTF8.self)
    }
}
