// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// The body of a message for which no template is configured: the stream's `state` event and what leads to it.
enum MessageBody {
    static func render(_ message: Message) -> [UInt8] {
        var json = JSONWriter()
        json.object { write(message, to: &$0) }
        return json.bytes
    }

    private static func write(_ message: Message, to json: inout JSONWriter) {
        json.member("id", message.id)
        json.member("type", message.kind.rawValue)
        json.member("status", message.status.rawValue)
        json.member("severity", message.severity.rawValue)
        json.member("text", message.text)
        json.member("at", message.at)
        json.member("seen_from", optional: message.seenFrom)
        if let incident = message.incident { json.member("incident") { members(of: incident, to: &$0) } }
        switch message.kind {
        case .state, .certificate, .test: if let change = message.changes.first { members(of: change, to: &json) }
        case .outage:
            json.member("count", message.count)
            json.member("causes") { json in
                for (cause, count) in message.causes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                    json.member(named: cause.rawValue, count)
                }
            }
            json.key("targets")
            targets(of: message, to: &json)
            json.member("targets_omitted", message.count - message.changes.count)
        }
    }

    /// The list of targets, each with the id of its event.
    static func targets(of message: Message, to json: inout JSONWriter) {
        json.array { json in
            for change in message.changes {
                json.object { json in
                    json.member("id", change.id.description)
                    members(of: change, to: &json)
                    json.member("at", change.at)
                }
            }
        }
    }

    private static func members(of incident: MessageIncident, to json: inout JSONWriter) {
        json.member("key", incident.key)
        json.member("id", optional: incident.id)
        json.member("title", incident.title)
        json.member("phase", incident.phase.rawValue)
        json.member("opened_at", incident.openedAt)
        if let closedAt = incident.closedAt { json.member("closed_at", closedAt) }
        json.member("total", incident.total)
        json.member("failing", incident.failing)
    }

    private static func members(of change: StateChange, to json: inout JSONWriter) {
        json.member("target", change.target)
        json.member("name", optional: change.name)
        json.member("group", optional: change.group)
        json.member("tags", texts: change.tags)
        json.member("from", change.from.rawValue)
        json.member("to", change.to.rawValue)
        if change.reason != nil || change.detail != nil {
            json.member("reason") { json in
                json.member("code", optional: change.reason)
                json.member("detail", optional: change.detail)
                if let evidence = change.evidence { json.members(of: evidence) }
            }
        }
        json.member("cause", optional: change.cause?.rawValue)
    }
}
