// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing

@testable import Notifying

extension StateChange {
    static func sample(
        _ sequence: UInt64,
        _ target: String = "db",
        _ from: TargetState = .up,
        _ to: TargetState = .down,
        at seconds: Int64 = 0,
        group: String? = nil,
        tags: [String: String] = [:],
        detail: String? = "it does not answer"
    ) -> StateChange {
        StateChange(
            id: EventID(epoch: "e", sequence: sequence),
            at: Timestamp(milliseconds: 1_795_000_000_000 + seconds * 1000),
            target: target,
            group: group,
            tags: tags,
            from: from,
            to: to,
            reason: to == .up ? nil : "no_answer",
            detail: to == .up ? nil : detail,
            cause: to == .up ? nil : to == .unreachable ? .localNetwork : .target
        )
    }
}

extension StateChange {
    /// The end of a target, as the log has it.
    static func removed(_ sequence: UInt64, _ target: String = "db", at seconds: Int64 = 0) -> StateChange {
        let event = RecordedEvent(
            sequence: sequence,
            at: Timestamp(milliseconds: 1_795_000_000_000 + seconds * 1000),
            type: .target,
            target: target,
            data: Array(#"{"action":"removed","target":{"id":"\#(target)"}}"#.utf8)
        )
        guard case .removal(let change) = LogEntry(event, epoch: "e") else {
            preconditionFailure("the entry says what the event is")
        }
        return change
    }
}

extension Message {
    /// A message about a change of one target, without an incident.
    init(_ change: StateChange, covers: SequenceSet = SequenceSet()) { self.init([change], covers: covers) }

    /// A message about changes of one or several targets, without an incident.
    init(_ changes: [StateChange], covers: SequenceSet = SequenceSet()) {
        let (first, last) = (changes[0], changes[changes.count - 1])
        self.init(
            kind: changes.count == 1 ? .state : .outage,
            id: last.id.description,
            at: last.at,
            status: first.ending != nil || first.to == .up ? .resolved : .firing,
            severity: changes.map(\.severity).max() ?? .info,
            changes: Array(changes.prefix(Message.listLimit)),
            count: changes.count,
            causes: first.cause.map { [$0: changes.count] } ?? [:],
            covers: covers
        )
    }
}

extension ReceiverSettings {
    static func hook(_ name: String = "hook", port: UInt16 = 1) throws -> ReceiverSettings {
        let request = HTTPProbeSettings(url: try HTTPURL("http://127.0.0.1:\(port)/hook"), method: "POST")
        var settings = ReceiverSettings(name: name, channel: .webhook(WebhookSettings(request: request)))
        settings.pace.groupWait = .seconds(5)
        settings.retry.firstPause = .milliseconds(20)
        settings.retry.longestPause = .milliseconds(100)
        return settings
    }

    static func manager(_ name: String = "am") throws -> ReceiverSettings {
        let request = HTTPProbeSettings(url: try HTTPURL("http://127.0.0.1:1/api/v2/alerts"), method: "POST")
        return ReceiverSettings(name: name, channel: .alertmanager(AlertmanagerSettings(request: request)))
    }

    /// Changes the webhook.
    mutating func change(_ body: (inout WebhookSettings) -> Void) {
        guard case .webhook(var webhook) = channel else { return }
        body(&webhook)
        channel = .webhook(webhook)
    }
}

let second: UInt64 = 1_000_000_000

extension Delivery {
    /// The body, or the JSON of what a service makes a request of; empty for a mail.
    var body: [UInt8] {
        switch content {
        case .body(let body, _): body
        case .message(let message): MessageBody.render(message)
        case .mail, .invalid: []
        }
    }
}

extension Message {
    /// The number of the event that it has its id of; 0 for a message about an incident.
    var sequence: UInt64 { EventID(parsing: id)?.sequence ?? 0 }
}
