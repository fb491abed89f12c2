// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// A row that a round adds to the log: a change of a verdict, a location's other certificate of a target, or a change of its vote when
/// several locations watch the target. With one location, the change of the verdict says the same.
struct LogEntry: Sendable, Hashable {
    let type: EventType
    let target: String
    let group: String?
    /// The tags in the database's text form of an array.
    let tags: String?
    /// When it was observed.
    let at: Duration
    /// The JSON text that clients receive.
    let data: String
    /// The change of a verdict; nil for other entries.
    let state: StateEvent?

    /// The entry of a change of a verdict.
    init(_ event: StateEvent) {
        type = .state
        (target, group, tags, at, data) = (event.target, event.group, event.tags, event.at, event.data)
        state = event
    }

    /// The entry of a certificate.
    ///
    /// - Parameters:
    ///   - standing: the target.
    ///   - certificate: what changed.
    ///   - row: the report.
    init(_ standing: TargetStanding, _ certificate: CertificateEntry, _ row: InboxRow) {
        type = .certificate
        (target, group, tags, at) = (standing.id, standing.group, standing.tags, row.at)
        state = nil
        var writer = JSONWriter(reserving: 1_024)
        writer.object { writer in
            writer.member("target", standing.id)
            writer.member("location", row.key.location)
            writer.member("node", row.node)
            certificate.write(to: &writer)
            writer.member("at", Timestamp(row.at))
        }
        data = String(decoding: writer.take(), as: UTF8.self)
    }

    /// The entry of a vote; nil when it reports the same as the vote before.
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
        type = .vote
        (target, group, tags, self.at) = (standing.id, standing.group, standing.tags, at)
        state = nil
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.member("target", standing.id)
            writer.member("location", location)
            writer.member("node", new.node)
            writer.member("from", (old?.content.state ?? .unknown).rawValue)
            writer.member("to", content.state.rawValue)
            writer.reason(content.reason, detail: content.detail)
            writer.member("cause", optional: content.cause?.rawValue)
            writer.member("at", Timestamp(at))
        }
        data = String(decoding: writer.take(), as: UTF8.self)
    }
}
