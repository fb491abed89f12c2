// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Fleet
@testable import Monitoring

@Suite("What a new owner reports of a target") struct TakeoverTests {
    private let source = FakeSource()
    private let registry = Registry(clock: FakeClock(), epoch: "e0")
    private let reports: NodeReports

    private static let shard = Shard(placement: 1, number: 7)

    init() {
        registry.connect(to: source)
        reports = NodeReports(registry, location: "berlin", wall: FakeClock())
    }

    /// Takes over a target whose state was reported before; `rise` is 2, `fall` is 3.
    private func takeOver(_ state: TargetState?) throws {
        registry.apply(targets: [try Self.settings()], resuming: state.map { ["a": $0] } ?? [:])
        reports.hold(
            [OwnAssignment(key: AssignmentKey(shard: Self.shard, location: "berlin"), token: 2, since: .zero)],
            [AssignedTarget(id: "a", shard: Self.shard, declaration: "")]
        )
        let update = PathUpdate(
            id: try #require(source.id(Self.settings().request)),
            path: .up(),
            previous: nil,
            trigger: ChangeTrigger(.route)
        )
        registry.pathsDidChange([update])
    }

    private static func settings() throws -> TargetSettings {
        var target = TargetSettings.address("a")
        let request = ProbeRequest(host: .address(IPAddress(ipv4: 1)), kind: .tcp(TCPProbeSettings(port: 1)))
        target.probe = ProbePlan(.ask(request), verdict: try VerdictSettings())
        return target
    }

    /// The states reported after each result; `s` is a success and `f` a failure.
    private func votes(_ results: String) throws -> [String] {
        try results.map { letter in
            let before = registry.sequence
            let target = try #require(registry.target("a")?.target)
            let result = ProbeResult(
                outcome: letter == "s" ? .success : .failure,
                reason: letter == "s" ? nil : .connectRefused,
                detail: "",
                duration: .milliseconds(1)
            )
            _ = registry.record(result, of: target, circumstances: Registry.ProbeContext())
            guard case .events(let found, _) = reports.reports(after: before, limit: 9, bytes: 1 << 20) else {
                return "gap"
            }
            return found.compactMap(\.observation?.state.rawValue).joined(separator: " ")
        }
    }

    @Test(
        "rise and fall apply to its own results, and nothing is reported before they are met",
        arguments: [
            (TargetState.up, "fff", ["", "", "down"]), (.up, "ffsfff", ["", "", "up", "", "", "down"]),
            (.down, "ss", ["", "up"]), (.down, "sfss", ["", "down", "", "up"]), (.down, "f", ["down"]),
            (.degraded, "sfss", ["", "degraded", "", "up"]),
        ]
    )
    func thresholds(state: TargetState, results: String, expected: [String]) throws {
        try takeOver(state)
        #expect(try votes(results) == expected)
    }

    @Test("the shard is confirmed with the first state, not before")
    func confirmation() throws {
        try takeOver(.down)
        #expect(try votes("s") == [""])
        #expect(reports.takeAdditions(through: .max, limit: 9) == [])
        #expect(try votes("s") == ["up"])
        #expect(reports.takeAdditions(through: .max, limit: 9).map(\.kind) == [.confirmed])
    }

    @Test("without a state of before the first success decides, and fall failures")
    func unknown() throws {
        try takeOver(nil)
        #expect(try votes("fs") == ["", "up"])
        let other = TakeoverTests()
        try other.takeOver(.unreachable)
        #expect(try other.votes("fff") == ["", "", "down"])
    }

    @Test("a state of before applies to new targets only")
    func known() throws {
        try takeOver(.up)
        #expect(try votes("s") == ["up"])
        let sequence = registry.sequence
        registry.apply(targets: [try Self.settings()], resuming: ["a": .down])
        #expect(registry.sequence == sequence && registry.target("a")?.state == .up)
    }
}
