// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@testable import Notifying

@Suite("Which services are notified of acknowledgements and certificates") struct ServiceAcknowledgementTests {
    private let scene: ServiceScene

    init() throws { scene = try ServiceScene() }

    private func receiver(_ service: MessagingService) throws -> ReceiverSettings {
        ReceiverSettings(name: service.name, channel: .service(try scene.settings(service)))
    }

    @Test(
        "ntfy, PagerDuty and Opsgenie are notified of an acknowledgement, once; other services and webhooks are not",
        arguments: MessagingService.all
    )
    func acknowledgement(_ service: MessagingService) throws {
        let isNotified = ["ntfy", "pagerduty", "opsgenie"].contains(service.name)
        var scene = IncidentMachineScene(try receiver(service))
        scene.fail(0)
        scene.edit { $0.acknowledgedBy = .some("anna") }
        scene.pass(60)
        scene.recover(0..<1)
        #expect(scene.phases == ["opened"] + (isNotified ? ["acknowledged"] : []) + ["closed"])
        #expect(service.keepsIncidents == ["pagerduty", "opsgenie"].contains(service.name))
    }

    @Test("At ntfy an acknowledgement replaces the notification of the begin, without a sound of a failure")
    func ntfy() throws {
        let readings = try [MessageIncident.Phase.opened, .acknowledged].map { phase in
            MessageReading(
                body: String(decoding: try scene.request(.down().of(phase), .ntfy).body, as: UTF8.self)
            )
        }
        #expect(readings.map { $0.text("$.sequence_id") } == ["i-7", "i-7"])
        #expect(readings.map { $0.number("$.priority") } == [5, 2])
    }

    @Test(
        "A service that would hold it open for ever is not notified of another certificate; others are",
        arguments: MessagingService.all
    )
    func certificate(_ service: MessagingService) throws {
        let data = #"""
            {"target": "t0", "changed": ["fingerprint", "issuer", "not_after"],
             "old": {"fingerprint": "aa", "issuer": "CN=A"},
             "new": {"fingerprint": "bb", "issuer": "CN=B", "not_after": "2027-02-01T00:00:00.000Z"}}
            """#
        let moment = Timestamp(milliseconds: 1_795_002_400_000)
        let event = RecordedEvent(sequence: 1, at: moment, type: .certificate, target: "t0", data: Array(data.utf8))
        let incidents = ImitatedIncidents()
        incidents.declare("t0", group: "g")
        let machine = IncidentMachine(
            try receiver(service),
            place: ReceiverOffset(floor: 0),
            incidents: incidents.forReceivers
        )
        machine.take([LogEntry(event, epoch: "e")], now: second)
        machine.advance(now: second, at: moment, isCaughtUp: true)
        #expect((machine.next(now: second, at: moment) == nil) == service.keepsIncidents)
    }
}
