// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Testing

@testable import Fleet
@testable import Monitoring

@Suite("Reports of observations from before the assignment") struct NodeReportBeginningTests {
    private let clock = FakeClock()
    private let source = FakeSource()
    private let registry: Registry
    private let reports: NodeReports

    private static let shard = Shard(placement: 1, number: 7)
    private static let key = AssignmentKey(shard: shard, location: "berlin")

    init() {
        self.init(log: EventLogSettings())
    }

    private init(log: EventLogSettings) {
        registry = Registry(log: log, clock: clock, epoch: "e0")
        registry.connect(to: source)
        reports = NodeReports(registry, location: "berlin", wall: clock)
    }

    // MARK: The scene

    private static func settings(_ id: String) -> TargetSettings { .address(id, "198.51.100.\(id.utf8.last ?? 0)") }

    private func watch(_ ids: String...) {
        registry.apply(targets: ids.map(Self.settings))
    }

    private func emit(_ id: String, _ path: NetworkPath, previous: NetworkPath? = nil) throws {
        let path = PathUpdate(
            id: try #require(source.id(Self.settings(id).request)),
            path: path,
            previous: previous,
            trigger: ChangeTrigger(.route)
        )
        registry.pathsDidChange([path])
    }

    private func hold(
        _ ids: String...,
        token: UInt64 = 1,
        confirmed: UInt64 = 0,
        shard: Shard = shard,
        location: String = "berlin"
    ) {
        reports.hold(
            [
                OwnAssignment(
                    key: AssignmentKey(shard: shard, location: location),
                    token: token,
                    since: .zero,
                    confirmed: confirmed
                )
            ],
            ids.map { AssignedTarget(id: $0, shard: shard, declaration: "") }
        )
    }

    /// The reports of the events after a number, as `target state token`.
    private func votes(after sequence: UInt64 = 0) -> [String] {
        guard case .events(let reports, let through) = reports.reports(after: sequence, limit: 100, bytes: 1 << 20)
        else {
            return ["gap"]
        }
        #expect(through == registry.sequence)
        #expect(reports.allSatisfy { $0.kind == .vote && $0.sequence > sequence && $0.key == Self.key })
        return reports.map(Self.words)
    }

    private static func words(_ report: Report) -> String {
        switch report.kind {
        case .confirmed: "confirmed \(report.token)"
        case .vote, .state:
            (report.kind == .state ? "state " : "")
                + "\(report.observation?.target ?? "?") \(report.observation?.state.rawValue ?? "?") \(report.token)"
        }
    }

    @Test("an event before the assignment is not reported either after its number was moved")
    func movedNumbers() throws {
        watch("a")
        try emit("a", .up())
        hold("a")
        #expect(votes() == [])
        registry.moveEvents(behind: 1_000)
        #expect(votes(after: 1_000) == [])
    }

    @Test("another reason in a state that was known at the assignment keeps the beginning of the state")
    func sameState() throws {
        watch("a")
        try emit("a", .down(.blackhole))
        let since = clock.now().instant
        clock.advance(milliseconds: 5_000)
        hold("a")
        let before = registry.sequence
        try emit("a", .down(.prohibited), previous: .down(.blackhole))
        guard case .events(let found, _) = reports.reports(after: before, limit: 9, bytes: 1 << 20) else {
            Issue.record("a gap")
            return
        }
        #expect(found.map(\.observation?.since) == [since])
    }
}
