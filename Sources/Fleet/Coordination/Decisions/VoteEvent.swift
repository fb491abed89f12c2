// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// A change of a location's vote on a target that several locations watch, as the log stores it. With one location, the change of
/// the state says the same.
struct VoteEvent: Sendable, Hashable {
    let target: String
    let group: String?
    /// The tags in the database's text form of an array.
    let tags: String?
    /// When it was observed.
    let at: Duration
    /// The JSON text that clients receive.
    let data: String

    /// Nil when both votes report the same.
    ///
    /// - Parameters:
    ///   - standing: the target.
    ///   - location: the location.
    ///   - old: its vote before; nil for the first.
    ///   - new: its vote.
    ///   - at: when it was observed.
    init?(_ standing: TargetStanding, from location: String, _ old: StoredVote?, _ new: StoredVote, at: Duration) {
        let content = new.content
        if let old = old?.content, old.state == content.state, old.cause == content.cause, old.reason == content.reason
        {
            return nil
        }
        (target, group, tags, self.at) = (standing.id, standing.group, standing.tags, at)
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.member("target", standing.id)
            writer.member("location", location)
            writer.member("node", new.node)
            writer.member("from", (old?.content.state ?? .unknown).rawValue)
            writer.member("to", content.state.rawValue)
            if let reason = content.reason {
                writer.member("reason") { writer in
                    writer.member("code", reason)
                    writer.member("detail", content.detail ?? "")
                }
            }
            writer.member("cause", optional: content.cause?.rawValue)
            writer.member("at", Timestamp(at))
        }
        data = String(decoding: writer.take(), as: UTF8.self)
    }
}

/// A row that a round adds to the log.
enum LogEntry: Sendable, Hashable {
    case state(StateEvent)
    case vote(VoteEvent)

    /// The event's type.
    var type: EventType {
        switch self {
        case .state: .state
        case .vote: .vote
        }
    }

    /// The change of a verdict; nil for a vote.
    var state: StateEvent? {
        guard case .state(let event) = self else { return nil }
        return event
    }

    var target: String {
        switch self {
        case .state(let event): event.target
        case .vote(let event): event.target
        }
    }

    var group: String? {
        switch self {
        case .state(let event): event.group
        case .vote(let event): event.group
        }
    }

    var tags: String? {
        switch self {
        case .state(let event): event.tags
        case .vote(let event): event.tags
        }
    }

    var at: Duration {
        switch self {
        case .state(let event): event.at
        case .vote(let event): event.at
        }
    }

    var data: String {
        switch self {
        case .state(let event): event.data
        case .vote(let event): event.data
        }
    }
}
