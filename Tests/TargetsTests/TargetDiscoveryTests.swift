// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Discovery
import LinuxIO
import MonitoringTestSupport
import Schema
import Synchronization
import TestSupport
import Testing

@testable import Configuration
@testable import Monitoring
@testable import Targets

@Suite("Discovery at run time")
struct TargetDiscoveryTests {
    private let registry = Registry(clock: FakeClock(), epoch: "e0")
    private let paths = FakeSource()
    private let loop: EventLoop
    private let store: TargetStore
    private let discovery: ThreadConfined<TargetDiscovery>
    private let statuses: DiscoveryStatuses
    private let messages = Recorder<LogMessage>()

    init() throws {
        registry.connect(to: paths)
        loop = try EventLoop(name: "discovery-test")
        store = TargetStore(registry: registry, place: .memory(reason: "a test"))
        let discovery = TargetDiscovery(loop: loop, store: store, registry: registry, clock: FakeClock()) {
            [messages] in messages.record($0)
        }
        statuses = discovery.statuses
        self.discovery = ThreadConfined(discovery, to: loop)
    }

    private func close() {
        loop.executeAndWait { [discovery] in discovery.value.close() }
        loop.close()
    }

    /// A configuration with sources of the test.
    private func apply(_ sources: [(name: String, settings: TestSettings)], group: String? = nil, maximum: Int = 100) {
        var configuration = ReachdConfiguration.standard
        configuration.watchesAutomatically = false
        configuration.maximumTargets = maximum
        configuration.discovering.sources = sources.map {
            DeclaredSource(kind: "test", name: $0.name, settings: $0.settings, defaults: .init(group: group))
        }
        loop.executeAndWait { [discovery, store, configuration] in
            _ = store.apply(configuration, found: discovery.value.apply(configuration))
        }
    }

    private func report(_ source: TestSettings, _ addresses: [String]?, _ code: SourceError.Code? = nil) {
        source.box.send(
            SourceReport(
                items: addresses?.map { DiscoveredItem(address: $0, place: .source("test")) },
                error: code.map { SourceError($0, "it failed") }
            )
        )
        // The report was given to the loop, which has evaluated it after this.
        loop.executeAndWait {}
    }

    private var ids: [String] { targets.map(\.id) }

    private var targets: [TargetSettings] {
        registry.page(after: 0, limit: .max).records.compactMap { $0.target?.settings }
    }

    @Test("a failure keeps what was found; it and the recovery are told once")
    func failure() {
        defer { close() }
        let source = TestSettings(1)
        apply([("a", source)])
        #expect(ids.isEmpty)
        #expect(statuses.all.map(\.targets) == [0])
        #expect(statuses.all[0].lastSuccess == nil && statuses.all[0].failure == nil)
        report(source, ["x.test:1", "y.test:1"])
        #expect(ids == ["x.test:1", "y.test:1"])
        #expect(targets.allSatisfy { $0.source == "a" })
        report(source, nil, .timeout)
        report(source, nil, .timeout)
        #expect(ids == ["x.test:1", "y.test:1"])
        #expect(statuses.all[0].failure?.code == "timeout")
        #expect(statuses.all[0].targets == 2 && statuses.all[0].lastSuccess != nil)
        report(source, nil)
        #expect(statuses.all[0].failure == nil)
        report(source, [])
        #expect(ids.isEmpty)
        let told = messages.events.map(\.text).filter { $0.contains("a discovery source") }
        #expect(
            told == [
                "a discovery source failed; its 2 targets remain: it failed", "a discovery source works again",
            ]
        )
    }

    @Test("of several sources with one target, the first counts, and the next one takes over")
    func overlaps() {
        defer { close() }
        let (first, second) = (TestSettings(1), TestSettings(2))
        apply([("a", first), ("b", second)])
        report(second, ["x.test:1", "y.test:1"])
        report(first, ["x.test:1"])
        #expect(targets.map { "\($0.id) \($0.source ?? "")" } == ["x.test:1 a", "y.test:1 b"])
        #expect(messages.events.contains { $0.level == .warning && $0.text.contains("is found by a and by b") })
        report(first, [])
        #expect(targets.map { "\($0.id) \($0.source ?? "")" } == ["x.test:1 b", "y.test:1 b"])
    }

    @Test("limits.targets holds for all sources together; a list without room is tried again")
    func room() {
        defer { close() }
        let (first, second) = (TestSettings(1), TestSettings(2))
        apply([("a", first), ("b", second)], maximum: 3)
        report(first, ["a.test:1", "a.test:2"])
        report(second, ["b.test:1"])
        report(second, ["b.test:1", "b.test:2"])
        #expect(ids == ["a.test:1", "a.test:2", "b.test:1"])
        #expect(statuses.all.map { $0.failure?.code } == [nil, "too_many_targets"])
        report(first, ["a.test:1"])
        report(second, nil)
        #expect(ids == ["a.test:1", "b.test:1", "b.test:2"])
        #expect(statuses.all.allSatisfy { $0.failure == nil })
    }

    @Test("a reload leaves unchanged sources alone; a changed one keeps its targets until its first answer")
    func reload() {
        defer { close() }
        let (first, second, other) = (TestSettings(1), TestSettings(2), TestSettings(3))
        apply([("a", first), ("b", second)])
        report(first, ["a.test:1"])
        report(second, ["b.test:1"])
        apply([("a", first), ("b", other)], group: "new")
        #expect(first.box.starts == 1 && first.box.stops == 0)
        #expect(second.box.stops == 1 && other.box.starts == 1)
        // The known items of the one have the new group; the other's are not known yet.
        #expect(targets.map { "\($0.id) \($0.group ?? "")" } == ["a.test:1 new", "b.test:1 "])
        // Late reports of a stopped source are ignored, and an error is no answer.
        report(second, ["late.test:1"])
        report(other, nil, .unreachable)
        #expect(ids == ["a.test:1", "b.test:1"])
        report(other, ["c.test:1"])
        #expect(ids == ["a.test:1", "c.test:1"])
        apply([("b", other)])
        #expect(ids == ["c.test:1"])
        #expect(first.box.stops == 1)
        #expect(statuses.all.map(\.name) == ["b"])
    }

    @Test("reports that were not evaluated yet are one")
    func merged() {
        defer { close() }
        let source = TestSettings(1)
        apply([("a", source)])
        let gate = Semaphore()
        loop.execute { gate.wait() }
        for number in 1...100 {
            source.box.send(
                SourceReport(items: [DiscoveredItem(address: "x\(number).test:1", place: .source("test"))])
            )
        }
        source.box.send(SourceReport(error: SourceError(.timeout, "it failed")))
        gate.post()
        loop.executeAndWait {}
        #expect(ids == ["x100.test:1"])
        #expect(messages.events.count { $0.text == "discovered targets changed" } == 1)
        #expect(statuses.all[0].failure?.code == "timeout")
    }
}

/// The settings of a source that reports what a test says.
private struct TestSettings: DiscoverySourceSettings {
    private let number: Int
    let box = Box()

    init(_ number: Int) { self.number = number }

    static func == (left: Self, right: Self) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
    func makeSource() -> any DiscoverySource { TestSource(box) }

    final class Box: Sendable {
        private struct State {
            var report: (@Sendable (SourceReport) -> Void)?
            var starts = 0
            var stops = 0
        }

        private let state = Mutex(State())
        var starts: Int { state.withLock { $0.starts } }
        var stops: Int { state.withLock { $0.stops } }

        func send(_ report: SourceReport) { state.withLock { $0.report }?(report) }

        func start(_ report: @escaping @Sendable (SourceReport) -> Void) {
            state.withLock { state in
                state.report = report
                state.starts += 1
            }
        }

        func stop() { state.withLock { $0.stops += 1 } }
    }
}

private final class TestSource: DiscoverySource {
    private let box: TestSettings.Box

    init(_ box: TestSettings.Box) { self.box = box }

    func start(_ report: @escaping @Sendable (SourceReport) -> Void) { box.start(report) }
    func stop() { box.stop() }
}
