// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
import Schema
import TestSupport

@testable import Notifying

/// Receivers at each messaging service, whose servers are a test's.
struct ServiceScene {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A receiver with all keys of its service.
    ///
    /// - Parameter base: the server's URL.
    func settings(_ service: MessagingService, base: String = "http://127.0.0.1:1") throws -> ServiceSettings {
        var settings = ServiceSettings(
            service: service.name,
            request: HTTPProbeSettings(url: try HTTPURL(service.takesURLFile ? "https://localhost/" : base))
        )
        if service.takesURLFile { settings.urlFile = try secret("\(base)/hooks/t0k3n", "\(service.name)-url") }
        for field in service.fields {
            let value =
                ["chat_id": "-1001", "thread_id": "17", "room": "!abc:example.org"][field.name] ?? "my-\(field.name)"
            settings.texts[field.name] =
                field.name.hasSuffix("_file") ? try secret("s3cret", "\(service.name)-\(field.name)") : value
        }
        settings.externalURL = "https://reachd.example.org/"
        return settings
    }

    /// The request for a message.
    func request(_ message: Message, _ service: MessagingService) throws -> ServiceRequest {
        try MessagingService.request(message, to: try settings(service), secrets: SecretFiles())
    }

    private func secret(_ text: String, _ name: String) throws -> String { try folder.write("\(text)\n", to: name) }
}

extension Message {
    /// A target that went down, for a reason that names hosts; the incident has no page.
    static func down(
        _ target: String = "db",
        name: String? = "Database",
        group: String? = "core",
        detail: String = "connect: Connection refused"
    ) -> Message {
        var change = StateChange.sample(7, target, .up, .down, group: group, detail: detail)
        change.name = name
        change.evidence = FaultEvidence(
            reason: Array(#"{"offender":{"address":"192.0.2.1"},"trace":{"last_hop":{"address":"192.0.2.9"}}}"#.utf8)
        )
        var message = Message(change)
        message.incident = MessageIncident(
            key: "i-7",
            id: nil,
            title: "\(change.label) is down",
            phase: .opened,
            openedAt: change.at,
            begunAt: change.at,
            total: 1,
            failing: 1
        )
        return message
    }

    static func up() -> Message {
        Message(.sample(8, "db", .down, .up))
    }

    /// The same message as one of an incident; a closed one lasted four minutes.
    func of(_ phase: MessageIncident.Phase) -> Message {
        var message = self
        message.incident = MessageIncident(
            key: "i-7",
            id: "7",
            title: count > 1
                ? "eth0 lost its carrier: \(count) targets unreachable" : "Database is down: connection refused",
            phase: phase,
            openedAt: at,
            begunAt: at,
            closedAt: phase == .closed ? Timestamp(milliseconds: at.milliseconds + 240_000) : nil,
            total: count,
            failing: phase == .closed ? 0 : count
        )
        return message
    }

    static func outage(_ count: Int, isOver: Bool = false) -> Message {
        let changes = (1...count).map { number in
            StateChange.sample(
                UInt64(number),
                "t\(number)",
                isOver ? .unreachable : .up,
                isOver ? .up : .unreachable,
                detail: "no route (link eth0)"
            )
        }
        return Message(changes)
    }
}
