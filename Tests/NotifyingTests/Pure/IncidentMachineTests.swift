// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@testable import Notifying

@Suite("What a receiver is notified of an incident, and when")
struct IncidentMachineTests {
    private func scene(
        targets: Int = 3,
        _ change: (inout ReceiverSettings) throws -> Void = { _ in }
    ) throws -> IncidentMachineScene {
        var settings = try ReceiverSettings.hook()
        try change(&settings)
        return IncidentMachineScene(settings, targets: targets)
    }

    /// Quiet hours in which every scene begins: from 11:00 to 13:00 UTC.
    private static func window() throws -> MaintenanceWindow {
        try MaintenanceWindow(weekdays: Set(Weekday.allCases), startMinute: 660, durationMinutes: 120)
    }

    @Test("200 targets behind a cut link are one message, and one when all are back")
    func cut() throws {
        var scene = try scene(targets: 200)
        scene.cut(0..<200)
        #expect(scene.sent.isEmpty)
        scene.pass(5)
        #expect(scene.phases == ["opened"])
        let opened = try #require(scene.sent.first)
        #expect(opened.text("$.incident.title") == "eth0 went down: 200 targets unreachable")
        #expect(opened.number("$.count") == 200 && opened.number("$.targets_omitted") == 100)
        scene.pass(60)
        scene.recover(0..<199)
        scene.pass(60)
        #expect(scene.phases == ["opened"])
        scene.recover(199..<200)
        scene.pass(3_600)
        #expect(scene.phases == ["opened", "closed"])
        #expect(scene.sent[1].text("$.text")?.hasPrefix("200 targets are up after 2 min 5 s: t0, t1") == true)
        #expect(scene.sent[1].text("$.status") == "resolved" && scene.place.notices.isEmpty)
    }

    @Test("an outage that is over within group_wait is not reported, in neither half")
    func short() throws {
        var scene = try scene()
        scene.cut(0..<3)
        scene.pass(4)
        scene.recover(0..<3)
        scene.pass(3_600)
        #expect(scene.sent.isEmpty)
    }

    @Test("an outage that may be over is reported when a result shows that it goes on", arguments: [true, false])
    func unjudged(isOver: Bool) throws {
        var scene = try scene()
        scene.cut(0..<3)
        scene.pass(4)
        scene.doubt(0..<3)
        scene.pass(20)
        #expect(scene.sent.isEmpty)
        if isOver { scene.recover(0..<2) } else { scene.cut(2..<3) }
        scene.pass(2)
        #expect(scene.phases == (isOver ? [] : ["opened"]))
        scene.recover(0..<3)
        scene.pass(3_600)
        #expect(scene.phases == (isOver ? [] : ["opened", "closed"]))
    }

    @Test("the end tells how long those failed that are back, and not how long one did that is dead meanwhile")
    func deadAtTheEnd() throws {
        var scene = try scene()
        scene.fail(0, 1, 2, cause: IncidentCause(.hop, "203.0.113.2"), state: .unreachable)
        scene.pass(30)
        scene.recover(0..<2)
        scene.pass(15)
        scene.fail(2)
        scene.pass(1)
        let end = scene.sent.first { $0.text("$.incident.phase") == "closed" }
        #expect(end?.text("$.text") == "2 targets are up after 30 s: t0, t1")
    }

    @Test("a target that was reported before the uplink failed is reported as up when both are over")
    func downAndCut() throws {
        var scene = try scene()
        scene.fail(0)
        #expect(scene.phases == ["opened"])
        scene.pass(60)
        scene.cut(0..<3)
        scene.pass(60)
        scene.recover(0..<3)
        scene.pass(60)
        #expect(scene.phases == ["opened", "opened", "closed", "closed"])
        let keys = scene.sent.compactMap { $0.text("$.incident.key") }
        #expect(Set(keys[2...]) == Set(keys[..<2]))
    }

    @Test("a failure of the target's own is reported at once; further targets later, a worse state at once")
    func updates() throws {
        var scene = try scene()
        scene.fail(0, state: .degraded)
        scene.fail(1, state: .degraded)
        scene.pass(299)
        #expect(scene.phases == ["opened"])
        scene.pass(2)
        #expect(scene.phases == ["opened", "updated"] && scene.sent[1].number("$.incident.total") == 2)
        scene.fail(2)
        #expect(scene.phases.last == "updated" && scene.sent[2].text("$.severity") == "critical")
    }

    @Test("a correction of the cause is reported at once, once, also without updates and over a restart")
    func corrected() throws {
        var scene = try scene {
            $0.schedule.updates = .zero
            $0.filter.minimumSeverity = .critical
        }
        scene.fail(0)
        scene.restart()
        scene.fail(0, cause: IncidentCause(.hop, "203.0.113.2"), state: .unreachable)
        scene.pass(1)
        #expect(scene.phases == ["opened", "updated"])
        let update = try #require(scene.sent.last)
        #expect(update.text("$.incident.title") == "Packets end after 203.0.113.2: 1 target unreachable")
        #expect(update.text("$.incident.key") == scene.sent[0].text("$.incident.key"))
        #expect(update.text("$.severity") == "warning" && update.text("$.status") == "firing")
        scene.fail(0, cause: IncidentCause(.hop, "203.0.113.6"), state: .unreachable)
        scene.pass(3_600)
        scene.recover(0..<1)
        #expect(scene.phases == ["opened", "updated", "closed"])
    }

    @Test("a correction to another router is reported once, `updates` after the message that names the former one")
    func correctedRouter() throws {
        var scene = try scene()
        scene.fail(0, cause: IncidentCause(.hop, "203.0.113.2"), state: .unreachable)
        scene.pass(6)
        #expect(scene.phases == ["opened"])
        scene.pass(60)
        scene.fail(0, cause: IncidentCause(.hop, "203.0.113.6"), state: .unreachable)
        scene.pass(230)
        #expect(scene.phases == ["opened"])
        scene.pass(20)
        #expect(scene.phases == ["opened", "updated"])
        #expect(scene.sent[1].text("$.incident.title") == "Packets end after 203.0.113.6: 1 target unreachable")
        scene.pass(3_600)
        scene.recover(0..<1)
        #expect(scene.phases == ["opened", "updated", "closed"])
    }

    @Test("escalation: only what lasts, and no person acknowledged")
    func escalation() throws {
        var scene = try scene { $0.schedule.escalation = .seconds(600) }
        scene.fail(0)
        scene.pass(599)
        #expect(scene.sent.isEmpty)
        scene.pass(2)
        #expect(scene.phases == ["opened"])
        scene.recover(0..<1)
        #expect(scene.phases == ["opened", "closed"])
        var other = try self.scene { $0.schedule.escalation = .seconds(600) }
        other.fail(0)
        other.pass(60)
        other.edit { $0.acknowledgedBy = .some("anna") }
        other.pass(3_600)
        #expect(other.sent.isEmpty)
        other.edit { $0.acknowledgedBy = .some(nil) }
        #expect(other.phases == ["opened"])
    }

    @Test("an incident that is opened again begins anew: its age, its acknowledgement, and how long it lasted")
    func begunAnew() throws {
        var scene = try scene { $0.schedule.escalation = .seconds(8) }
        scene.fail(0)
        scene.edit { $0.acknowledgedBy = .some("anna") }
        scene.pass(3)
        scene.recover(0..<1)
        scene.pass(10)
        scene.fail(0)
        scene.pass(7)
        #expect(scene.sent.isEmpty, "it lasts 7 s, not 20 s")
        scene.pass(1)
        #expect(scene.phases == ["opened"], "no person acknowledged this outage")
        scene.recover(0..<1)
        #expect(scene.sent.last?.text("$.text") == "t0 is up after 8 s.")
    }

    @Test("a receiver that discarded the first message is not notified of the end, but of the next outage")
    func discarded() throws {
        var scene = try scene { $0.schedule.reminder = .seconds(600) }
        scene.isRefusing = true
        scene.fail(0)
        scene.pass(300)
        #expect(scene.phases == Array(repeating: "opened", count: 5))
        scene.isRefusing = false
        scene.restart()
        scene.recover(0..<1)
        scene.pass(60)
        #expect(scene.phases.count == 5)
        scene.fail(0)
        scene.recover(0..<1)
        #expect(scene.phases.dropFirst(5) == ["opened", "closed"])
        scene.isRefusing = true
        scene.fail(0)
        scene.pass(300)
        scene.isRefusing = false
        scene.pass(600)
        scene.recover(0..<1)
        #expect(scene.phases.suffix(2) == ["reminder", "closed"], "the reminder told of it")
    }

    @Test("the end of a cause names the state that the target has for another one; a short outage is no 0 s")
    func otherCause() throws {
        var scene = try scene()
        scene.cut(0..<1)
        scene.pass(5)
        scene.fail(0)
        let end = try #require(scene.sent.first { $0.text("$.status") == "resolved" })
        #expect(end.text("$.text") == "t0 no longer fails for this cause; it is down for another one.")
        #expect(end.text("$.from") == "unreachable" && end.text("$.to") == "down")
        scene.recover(0..<1)
        #expect(scene.sent.last?.text("$.text") == "t0 is up after less than a second.")
    }

    @Test("a mute holds back everything but the end of what was reported")
    func mute() throws {
        var scene = try scene { $0.schedule.reminder = .seconds(600) }
        scene.fail(0)
        scene.edit { [wall = scene.wall] in $0.mutedUntil = .some(Timestamp(milliseconds: wall + 3_600_000)) }
        scene.pass(3_000)
        #expect(scene.phases == ["opened"])
        scene.pass(601)
        #expect(scene.phases == ["opened", "reminder"])
        scene.edit { [wall = scene.wall] in $0.mutedUntil = .some(Timestamp(milliseconds: wall + 3_600_000)) }
        scene.recover(0..<1)
        #expect(scene.phases.last == "closed")
    }

    @Test("reminders end with an acknowledgement, and only services that show it are notified of it")
    func reminders() throws {
        var scene = try scene { $0.schedule.reminder = .seconds(600) }
        scene.fail(0)
        scene.pass(1_250)
        #expect(scene.phases == ["opened", "reminder", "reminder"])
        #expect(scene.sent[1].text("$.text")?.hasPrefix("Still open: t0 is down") == true)
        scene.edit { $0.acknowledgedBy = .some("anna") }
        scene.pass(3_600)
        #expect(scene.phases.count == 3)
    }

    @Test("quiet hours let only critical messages through; the rest follows if it is still the case")
    func quiet() throws {
        let window = try Self.window()
        var scene = try scene { $0.schedule.quiet.windows = [window] }
        scene.fail(0, cause: IncidentCause(.target, "t0"), state: .degraded)
        scene.fail(1, cause: IncidentCause(.target, "t1"))
        scene.fail(2, cause: IncidentCause(.target, "t2"), state: .degraded)
        #expect(scene.sent.compactMap { $0.text("$.target") } == ["t1"])
        scene.pass(60)
        scene.recover(2..<3)
        scene.pass(3_600 * 2)
        #expect(scene.sent.compactMap { $0.text("$.target") } == ["t1", "t0"])
        #expect(scene.sent[1].text("$.at") == "2026-11-18T11:46:40.000Z")
    }

    @Test("of what is reported at the same time, an incident that a nearer fault covers is behind that")
    func order() throws {
        let window = try Self.window()
        var scene = try scene(targets: 4) { $0.schedule.quiet.windows = [window] }
        scene.fail(0, 1, cause: IncidentCause(.hop, "203.0.113.2"), state: .unreachable)
        scene.pass(60)
        scene.fail(3, cause: IncidentCause(.target, "t3"), state: .degraded)
        scene.pass(60)
        scene.cut(0..<3)
        scene.pass(3_600 * 2)
        let titles = scene.sent.compactMap { $0.text("$.incident.title") }
        #expect(titles.map { String($0.prefix(4)) } == ["t3 i", "eth0", "Pack"])
    }

    @Test("the severity of a group or target decides what a receiver gets")
    func severities() throws {
        var scene = try scene {
            $0.severities.groups = ["g": .info]
            $0.severities.targets = ["t1": .critical]
            $0.filter.minimumSeverity = .warning
        }
        scene.fail(0, cause: IncidentCause(.target, "t0"))
        scene.fail(1, cause: IncidentCause(.target, "t1"), state: .degraded)
        #expect(scene.sent.map { $0.text("$.severity") } == ["critical"] && scene.sent[0].text("$.target") == "t1")
    }

    @Test("an incident has no more messages than the rate allows; then one says how it is")
    func rate() throws {
        var scene = try scene { $0.pace.perTarget = 4 }
        for _ in 0..<10 {
            scene.fail(0)
            scene.pass(10)
            scene.recover(0..<1)
            scene.pass(10)
        }
        #expect(scene.phases == ["opened", "closed", "opened", "closed"])
        scene.fail(0)
        scene.pass(600)
        #expect(scene.phases == ["opened", "closed", "opened", "closed", "opened"])
    }

    @Test("after a restart nothing is repeated, and what ended meanwhile is reported as over")
    func restart() throws {
        var scene = try scene()
        scene.fail(0)
        scene.fail(1, cause: IncidentCause(.target, "t1"))
        scene.restart()
        scene.pass(60)
        #expect(scene.phases == ["opened", "opened"])
        scene.incidents.happen(["t0"], .up, at: scene.wall)
        scene.restart()
        #expect(scene.phases == ["opened", "opened", "closed"])
    }

    @Test("a message about one target names the router that is at fault, and without one the reason")
    func culprit() throws {
        var scene = try scene()
        scene.fail(0, cause: IncidentCause(.router, "192.0.2.1"), state: .unreachable)
        scene.fail(1, cause: IncidentCause(.target, "t1"))
        scene.pass(60)
        #expect(
            Set(scene.sent.compactMap { $0.text("$.text") }) == [
                "Router 192.0.2.1 does not forward packets: 1 target unreachable: t0", "t1 is down.",
            ]
        )
    }

    @Test("a receiver whose filter no longer matches is notified of the end")
    func unrouted() throws {
        var scene = try scene()
        scene.fail(0)
        var settings = try ReceiverSettings.hook()
        settings.filter.groups = ["other"]
        scene.restart(settings)
        #expect(scene.phases == ["opened", "closed"])
        #expect(scene.sent[1].text("$.text")?.hasPrefix("No longer reported to this receiver: ") == true)
    }

    @Test("what could not be reported in time is reported in both halves")
    func late() throws {
        var scene = try scene()
        scene.incidents.happen(["t0"], .failing(IncidentCause(.target, "t0"), .target, .down), at: scene.wall)
        scene.incidents.happen(["t0"], .up, at: scene.wall + 60_000)
        scene.pass(120)
        #expect(scene.phases == ["opened", "closed"])
        #expect(scene.sent[1].text("$.text") == "t0 is up after 1 min.")
    }

    @Test("a stored notice is read as it was written, and hostile lines are refused")
    func storedForm() throws {
        var scene = try scene()
        scene.fail(0)
        let place = scene.place
        #expect(ReceiverOffset(place.description) == place && place.notices.count == 1)
        for line in ["incident a", "incident a open 1 critical 1 - 1 1", "incident a x 1 critical 1 - 1 1  t"] {
            #expect(ReceiverOffset("3\n\(line) ")?.notices.isEmpty ?? true, "\(line)")
        }
    }

    @Test("another certificate is a message; one with another issuer is a warning")
    func certificate() throws {
        let data = #"""
            {"target": "t0", "changed": ["fingerprint", "issuer", "not_after"],
             "old": {"issuer": "CN=A"}, "new": {"issuer": "CN=B", "not_after": "2027-02-01T00:00:00.000Z"}}
            """#
        let event = RecordedEvent(
            sequence: 7,
            at: Timestamp(milliseconds: 0),
            type: .certificate,
            target: "t0",
            data: Array(data.utf8)
        )
        guard case .certificate(let entry) = LogEntry(event, epoch: "e") else {
            Issue.record("it is a certificate's")
            return
        }
        let message = Message(entry)
        #expect(message.severity == .warning && message.kind == .certificate)
        #expect(
            message.text
                == "t0: The certificate was replaced: issued by CN=B, before by CN=A, valid until 2027-02-01"
        )
    }

    @Test("certificates that a host shows in turns are reported once; others no more often than the rate allows")
    func certificatesInTurns() throws {
        var scene = try scene { $0.pace.perTarget = 3 }
        for _ in 0..<10 {
            scene.certificate("a", "b")
            scene.certificate("b", "a")
            scene.pass(30)
        }
        #expect(scene.sent.count == 1 && scene.sent[0].text("$.type") == "certificate")
        for number in 0..<6 { scene.certificate("c\(number)", "c\(number + 1)") }
        #expect(scene.sent.count == 3)
    }

    @Test("a certificate waits for the end of quiet hours, over a restart too; an escalation gets none")
    func certificatesAtNight() throws {
        let window = try Self.window()
        var scene = try scene { $0.schedule.quiet.windows = [window] }
        scene.certificate("a", "b", issuer: true)
        scene.pass(60)
        scene.restart()
        #expect(scene.sent.isEmpty && scene.place.mark.floor == 0)
        scene.pass(7_200)
        #expect(scene.sent.count == 1 && scene.place.mark.floor == 1)
        var other = try self.scene { $0.schedule.escalation = .seconds(60) }
        other.certificate("a", "b", issuer: true)
        other.pass(3_600)
        #expect(other.sent.isEmpty && other.place.mark.floor == 1)
    }

    @Test("a target that comes into a receiver's group while it fails is reported, and one that leaves it is over")
    func regrouped() throws {
        var scene = try scene { $0.filter.groups = ["other"] }
        scene.fail(0)
        #expect(scene.sent.isEmpty)
        scene.update(0, group: "other")
        #expect(scene.phases == ["opened"])
        scene.update(0, group: "g")
        #expect(scene.phases == ["opened", "closed"])
    }

    @Test("the end names the targets that are up, without one that fails for its own cause or failed earlier")
    func ownEnd() throws {
        var scene = try scene { _ in }
        let hop = IncidentCause(.hop, "203.0.113.2")
        scene.fail(0, 1, 2, cause: hop, state: .unreachable)
        scene.pass(10)
        scene.fail(0)
        scene.recover(1..<3)
        scene.pass(10)
        let ends = scene.sent.filter { $0.text("$.incident.phase") == "closed" }
        #expect(ends.map { $0.text("$.text") ?? "" }.filter { $0.hasPrefix("2 targets are up after") }.count == 1)
        scene.fail(1, cause: hop, state: .unreachable)
        scene.pass(10)
        scene.recover(1..<2)
        scene.pass(10)
        #expect(scene.sent.last?.text("$.text")?.hasPrefix("t1 is up after") == true)
    }

    @Test("a receiver of some targets reads their number in the title")
    func ownTitle() throws {
        var settings = try ReceiverSettings.hook()
        settings.filter.targets = ["t1", "t2"]
        var scene = IncidentMachineScene(settings, targets: 20)
        scene.cut(0..<20)
        scene.pass(10)
        #expect(scene.sent.first?.text("$.incident.title") == "eth0 went down: 2 targets unreachable")
    }

    @Test("a receiver of ends alone gets no opening, and the end of what it wants")
    func onlyEnds() throws {
        var scene = try scene {
            $0.filter.to = [.up]
            $0.filter.from = [.down]
        }
        scene.fail(0, cause: IncidentCause(.target, "t0"))
        scene.fail(1, cause: IncidentCause(.target, "t1"), state: .degraded)
        scene.pass(3_600)
        #expect(scene.sent.isEmpty)
        scene.restart()
        scene.recover(0..<2)
        #expect(scene.phases == ["closed"] && scene.sent[0].text("$.target") == "t0")
    }
}
