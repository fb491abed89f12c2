// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@testable import Notifying

@Suite("Numbers of a log without a readable event") struct SkippedNumbersTests {
    private static let moment = Timestamp(milliseconds: 0)
    private static let certificate = Array(
        #"""
        {"target": "db", "changed": ["fingerprint"], "old": {"fingerprint_sha256": "a"}, "new": {"fingerprint_sha256": "b"}}
        """#.utf8
    )

    private func other(_ sequence: UInt64) -> LogEntry {
        .other(id: EventID(epoch: "e", sequence: sequence), at: Self.moment)
    }

    @Test("They hold back no offset, and a message before them does")
    func webhook() throws {
        let settings = try ReceiverSettings.hook()
        let incidents = ImitatedIncidents()
        let machine = IncidentMachine(settings, place: ReceiverOffset(floor: 0), incidents: incidents.forReceivers)
        machine.skip(1...2)
        #expect(machine.mark.floor == 2)
        let event = RecordedEvent(
            sequence: 3,
            at: Self.moment,
            type: .certificate,
            target: "db",
            data: Self.certificate
        )
        machine.take([LogEntry(event, epoch: "e")], now: 0)
        machine.skip(4...9)
        machine.take([other(10)], now: 0)
        #expect(machine.mark.floor == 2)
        machine.advance(now: 0, at: Self.moment, isCaughtUp: true)
        let sent = try #require(machine.next(now: 0, at: Self.moment))
        _ = machine.finish(sent.token, .accepted(status: 200), now: 0)
        #expect(machine.mark.floor == 10)
    }

    @Test("An Alertmanager's offset passes over them, too")
    func alertmanager() throws {
        let settings = try ReceiverSettings.manager()
        guard case .alertmanager(let manager) = settings.channel else { return }
        let machine = AlertmanagerMachine(settings, manager, place: ReceiverOffset(floor: 0))
        machine.skip(1...7)
        #expect(machine.mark.floor == 7)
        machine.take([.change(.sample(8))], now: 0)
        machine.skip(9...9)
        #expect(machine.mark.floor == 7)
        let sent = try #require(machine.next(now: 0, at: Self.moment))
        _ = machine.finish(sent.token, .accepted(status: 200), now: 0)
        #expect(machine.mark.floor == 9)
    }
}
