// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import LinuxIO
import MonitoringTestSupport
import NetworkPaths
import Synchronization
import TestSupport
import Testing

@testable import Monitoring

@Suite("Incidents over restarts and failures of the log", .serialized, .timeLimit(.minutes(15)))
struct IncidentRecordingTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A run of the service with a log in a file.
    private final class Run {
        let registry: Registry
        let recorder: HistoryRecorder
        let source = FakeSource()
        let clock: FakeClock

        init(_ file: SQLiteEventFile, at milliseconds: Int64) throws {
            let clock = FakeClock(milliseconds)
            self.clock = clock
            registry = Registry(clock: clock)
            recorder = try HistoryRecorder(
                registry: registry,
                settings: HistorySettings(),
                open: { code throws(HistoryError) in try file.open(isCorrupt: code == .corrupt, now: clock.now()) },
                clock: clock,
                log: { _ in }
            )
            try recorder.start()
            registry.beginIncidents(recorder.incidents())
            registry.connect(to: source)
        }

        func emit(_ ids: [String], _ path: NetworkPath) {
            registry.emit(ids, path, from: source)
        }

        var incidents: [Incident] { registry.incidents(IncidentQuery()).incidents }
    }

    @Test("A file has all that memory has, and open incidents go on after a restart")
    func restart() throws {
        // One for all runs: it holds the right to write the file.
        let file = SQLiteEventFile(path: folder.path(of: "log.db"))
        let targets = (0..<300).map {
            TargetSettings.address("t\($0)", "198.51.\($0 / 250).\($0 % 250 + 1)", group: "g")
        }
        let ids = targets.map(\.id)
        let before: [StoredIncident]
        do {
            let run = try Run(file, at: 1_795_000_000_000)
            run.registry.apply(targets: targets)
            run.emit(ids, .up())
            run.emit(ids, .down(.noRoute))
            run.clock.advance(milliseconds: 5_000)
            run.emit(Array(ids.prefix(100)), .up())
            var edit = IncidentEdit()
            edit.acknowledgedBy = .some("anna")
            edit.note = (author: "anna", text: "a\nb \"c\"")
            try run.registry.editIncident(try #require(run.incidents.first?.id), edit)
            before = run.registry.storedIncidents
            run.recorder.stop()
        }
        let run = try Run(file, at: 1_795_000_100_000)
        #expect(run.registry.storedIncidents.map(\.incident.stored) == before.map(\.incident.stored))
        #expect(Set(run.registry.storedIncidents[0].members.map(\.target)) == Set(ids))
        run.registry.apply(targets: Array(targets.dropLast()))
        let open = try #require(run.incidents.first)
        #expect(open.isOpen && open.counts.open == 199 && open.id == before.first?.incident.id)
        #expect(open.acknowledgement?.by == "anna" && open.notes.map(\.text) == ["a\nb \"c\""])
        run.emit(ids, .up())
        #expect(run.incidents.first?.closedAt == run.clock.now())
        let members = run.registry.incident(open.id, membersFrom: 0, limit: 1_000)?.members ?? []
        #expect(members.count { $0.end == .removed } == 1 && members.count { $0.end == .recovered } == 299)
        run.recorder.stop()
        let last = try Run(file, at: 1_795_000_200_000)
        #expect(last.incidents.map(\.closedAt) == [run.clock.now()])
        last.recorder.stop()
    }

    @Test(
        "When the log fails, incidents go on in memory; when it is back it has all of them, also what left memory",
        arguments: [65_536, 8]
    )
    func failure(_ capacity: Int) throws {
        let scene = try RecorderScene(capacity: capacity)
        try scene.recorder.start()
        scene.registry.beginIncidents(scene.recorder.incidents())
        let source = FakeSource()
        scene.registry.connect(to: source)
        let targets = (1...6).map { TargetSettings.address("t\($0)", "198.51.100.\($0)") }
        scene.registry.apply(targets: targets)
        scene.registry.emit(["t1", "t2"], .down(.noRoute), from: source)
        scene.wait { scene.registry.sequence == scene.registry.recordedSequence }
        #expect(try scene.disk.store.incidents().map(\.members.count) == [2])
        scene.disk.fail(.full)
        scene.registry.emit(["t3"], .down(.noRoute), from: source)
        scene.wait { scene.recorder.status.state == .degraded }
        scene.registry.emit(["t1", "t2", "t3"], .up(), from: source)
        #expect(scene.registry.incidents(IncidentQuery()).incidents.map(\.isOpen) == [false], "the disk blocks nothing")
        scene.happen(20)
        scene.disk.fail(nil)
        scene.advance { scene.recorder.isDurable }
        let stored = try scene.disk.store.incidents()
        #expect(stored.map(\.incident.stored) == scene.registry.storedIncidents.map(\.incident.stored))
        #expect(stored.map(\.members.count) == [3])
    }

    @Test("A log that could not be opened at the start has its incidents added, and keeps them")
    func late() throws {
        let disk = FakeDisk()
        let first = Registry(clock: FakeClock(1_000_000), epoch: "e0")
        first.beginIncidents()
        let source = FakeSource()
        first.connect(to: source)
        let targets = (1...3).map { TargetSettings.address("t\($0)", "198.51.100.\($0)") }
        first.apply(targets: targets)
        first.emit(["t1", "t2"], .down(.noRoute), from: source)
        try disk.store.append(first.recordedEvents(after: 0, limit: 99).events)
        disk.fail(.inputOutput)
        let scene = try RecorderScene(disk)
        try scene.recorder.start()
        scene.registry.beginIncidents(scene.recorder.incidents())
        let next = FakeSource()
        scene.registry.connect(to: next)
        scene.registry.apply(targets: Array(targets.dropLast()))
        scene.registry.emit(["t1"], .up(), from: next)
        scene.registry.emit(["t2"], .down(.noRoute), from: next)
        disk.fail(nil)
        scene.advance { scene.recorder.isDurable }
        scene.wait { scene.registry.sequence == scene.registry.recordedSequence }
        let incidents = scene.registry.incidents(IncidentQuery()).incidents
        #expect(incidents.count == 2 && incidents.allSatisfy(\.isOpen))
        #expect(incidents.map(\.counts.open) == [1, 1], "t1 is up, t2 belongs to both")
        #expect(try disk.store.incidents().count == 2)
        scene.registry.emit(["t2"], .up(), from: next)
        #expect(scene.registry.incidentTally?.openCount == 0)
    }
}

extension Registry {
    /// A path engine reports a path of some targets in one batch.
    fileprivate func emit(_ ids: [String], _ path: NetworkPath, from source: FakeSource) {
        pathsDidChange(
            ids.compactMap { id in
                let record = target(id)
                return record?.target.flatMap { source.id($0.settings.request) }.map {
                    PathUpdate(id: $0, path: path, previous: record?.path, trigger: ChangeTrigger(.route))
                }
            }
        )
    }
}
