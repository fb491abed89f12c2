// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Testing

@testable import Fleet
@testable import Monitoring

@Suite("A node's event log as the source of its reports") struct NodeReportsTests {
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

    /// The reports that are no events.
    private func additions(through sequence: UInt64 = .max, limit: Int = 100) -> [String] {
        reports.takeAdditions(through: sequence, limit: limit).map(Self.words)
    }

    private static func words(_ report: Report) -> String {
        switch report.kind {
        case .confirmed: "confirmed \(report.token)"
        case .certificate: "certificate of \(report.target ?? "?") \(report.token)"
        case .vote, .state:
            (report.kind == .state ? "state " : "")
                + "\(report.observation?.target ?? "?") \(report.observation?.state.rawValue ?? "?") \(report.token)"
        }
    }

    // MARK: Events

    @Test("the unknown of a target that was not evaluated is not reported, its first state is")
    func initialUnknown() throws {
        watch("a")
        hold("a")
        #expect(votes() == [] && additions() == [])
        #expect(reports.states(after: nil, limit: 10, bytes: 1 << 20).reports == [])
        clock.advance(milliseconds: 1_500)
        try emit("a", .up())
        guard case .events(let found, let through) = reports.reports(after: 0, limit: 10, bytes: 1 << 20) else {
            Issue.record("a gap")
            return
        }
        let vote = try #require(found.first)
        #expect(found.count == 1 && vote.kind == .vote && vote.key == Self.key && vote.token == 1)
        #expect(vote.sequence <= through && through == registry.sequence)
        #expect(vote.observation?.state == .up && vote.observation?.cause == nil)
        #expect(vote.at == clock.now().instant && vote.observation?.since == vote.at)
        try emit("a", .down())
        #expect(votes(after: through) == ["a unreachable 1"])
    }

    @Test("a state that is known at the assignment is reported as a state, with its beginning, and confirms the shard")
    func knownState() throws {
        watch("a")
        try emit("a", .down())
        let since = clock.now().instant
        clock.advance(milliseconds: 60_000)
        hold("a", token: 4)
        let found = reports.takeAdditions(through: registry.sequence, limit: 10)
        #expect(found.map(Self.words) == ["state a unreachable 4", "confirmed 4"])
        #expect(found.first?.observation?.since == since)
        #expect(found.first?.observation?.cause == .localNetwork)
        #expect(found.first?.observation?.reason != nil)
        #expect(found.first?.at == clock.now().instant)
        // The event itself was before the assignment.
        #expect(votes() == [])
        #expect(additions() == [])
    }

    @Test("observations before the token was learned are not reported under it")
    func earlier() throws {
        watch("a")
        hold("a", token: 1)
        _ = additions()
        try emit("a", .up())
        try emit("a", .down())
        hold("a", token: 2)
        #expect(votes() == [])
        #expect(additions() == ["state a unreachable 2", "confirmed 2"])
        try emit("a", .up())
        #expect(votes() == ["a up 2"])
    }

    @Test("the same token again changes nothing: events that were not read yet are reported once")
    func sameToken() throws {
        watch("a", "b")
        hold("a")
        try emit("a", .up())
        hold("a", "b")
        try emit("b", .up())
        #expect(votes() == ["a up 1", "b up 1"])
    }

    @Test("targets that are not assigned, of other locations or of other shards' tokens are not reported")
    func notAssigned() throws {
        watch("a", "b", "c")
        hold("a")
        for id in ["a", "b", "c"] { try emit(id, .up()) }
        #expect(votes() == ["a up 1"])
        hold("c", location: "paris")
        #expect(votes() == [])
        reports.hold(
            [OwnAssignment(key: Self.key, token: 2, since: .zero)],
            [AssignedTarget(id: "b", shard: Shard(placement: 1, number: 8), declaration: "")]
        )
        #expect(votes() == [])
        reports.hold([], [])
        #expect(votes() == [] && reports.states(after: nil, limit: 9, bytes: 1 << 20).reports == [])
    }

    @Test("another reason in the same state keeps the beginning of the state")
    func sameState() throws {
        watch("a")
        hold("a")
        try emit("a", .down(.blackhole))
        let since = clock.now().instant
        clock.advance(milliseconds: 5_000)
        #expect(votes() == ["a unreachable 1"])
        let before = registry.sequence
        try emit("a", .down(.prohibited), previous: .down(.blackhole))
        guard case .events(let found, _) = reports.reports(after: before, limit: 9, bytes: 1 << 20) else {
            Issue.record("a gap")
            return
        }
        #expect(found.map(\.observation?.since) == [since])
    }

    // MARK: Confirmations

    @Test("a shard is confirmed only after all its targets have a state, behind the last of them")
    func confirmation() throws {
        watch("a", "b")
        hold("a", "b", token: 3)
        try emit("a", .up())
        #expect(votes() == ["a up 3"])
        #expect(additions() == [])
        let read = registry.sequence
        try emit("b", .up())
        #expect(votes(after: read) == ["b up 3"])
        #expect(additions(through: read) == [], "the vote comes first")
        #expect(additions(through: registry.sequence) == ["confirmed 3"])
        #expect(additions() == [])
    }

    @Test("a confirmed shard is not confirmed again, one without targets is confirmed at once")
    func confirmed() throws {
        watch("a")
        hold("a", token: 3, confirmed: 3)
        try emit("a", .up())
        #expect(votes() == ["a up 3"] && additions() == [])
        hold(token: 4)
        #expect(additions() == ["confirmed 4"])
    }

    @Test("a confirmation that the database does not have is made again, without the states")
    func confirmationAgain() throws {
        watch("a")
        hold("a", token: 3)
        try emit("a", .up())
        #expect(votes() == ["a up 3"] && additions() == ["confirmed 3"])
        hold("a", token: 3)
        #expect(additions() == ["confirmed 3"])
    }

    @Test("additions are taken in order, as many as asked for")
    func limits() throws {
        watch("a", "b")
        try emit("a", .up())
        try emit("b", .up())
        hold("a", "b")
        #expect(additions(limit: 1) == ["state a up 1"])
        #expect(additions(limit: 1) == ["state b up 1"])
        #expect(additions(through: 0) == [])
        #expect(additions() == ["confirmed 1"])
    }

    // MARK: Gaps, epochs and pages

    @Test("events that left the log are a gap, after which the states have what they said")
    func gap() throws {
        var log = EventLogSettings()
        log.capacity = 4
        let scene = NodeReportsTests(log: log)
        scene.watch("a", "b")
        scene.hold("a", "b")
        for _ in 0..<5 {
            try scene.emit("a", .up())
            try scene.emit("a", .down())
        }
        #expect(scene.votes() == ["gap"])
        let page = scene.reports.states(after: nil, limit: 9, bytes: 1 << 20)
        #expect(page.reports.map(Self.words) == ["state a unreachable 1"])
        #expect(scene.votes(after: scene.registry.sequence - 1) == ["a unreachable 1"])
    }

    @Test("a limit of reports or bytes ends a page, and the next one begins behind it; one report is never too large")
    func pages() throws {
        watch("a")
        hold("a")
        for number in 0..<6 { try emit("a", number % 2 == 0 ? .up() : .down()) }
        var (after, found): (UInt64, [String]) = (0, [])
        while after < registry.sequence {
            guard case .events(let reports, let through) = reports.reports(after: after, limit: 100, bytes: 1) else {
                Issue.record("a gap")
                return
            }
            #expect(reports.count <= 1)
            #expect(through > after)
            guard through > after else { return }
            found += reports.map(Self.words)
            after = through
        }
        #expect(found == ["a up 1", "a unreachable 1", "a up 1", "a unreachable 1", "a up 1", "a unreachable 1"])
    }

    @Test("the log's epoch and its newest number are the source's, and an event after their change is reported")
    func epochChange() throws {
        watch("a")
        try emit("a", .up())
        hold("a")
        #expect(reports.epoch == "e0" && reports.newest == registry.sequence)
        #expect(votes() == [])
        registry.moveEvents(behind: 1_000)
        #expect(reports.epoch == registry.epoch && reports.epoch != "e0")
        #expect(reports.newest == registry.sequence && reports.newest > 1_000)
        let before = registry.sequence
        try emit("a", .down())
        #expect(votes(after: before) == ["a unreachable 1"])
    }

    @Test("all states page by page, in order, without targets that have no state", arguments: [1, 2, 3, 100])
    func states(limit: Int) throws {
        watch("a", "b", "c", "d", "e", "f")
        hold("f", "c", "a", "e", "b", "d")
        for id in ["a", "b", "d", "e"] { try emit(id, .up()) }
        _ = votes()
        var (cursor, found, pages): (String?, [String], Int) = (nil, [], 0)
        repeat {
            let page = reports.states(after: cursor, limit: limit, bytes: 1 << 20)
            #expect(page.reports.count <= limit)
            #expect(page.reports.allSatisfy { $0.kind == .state && $0.key == Self.key })
            found += page.reports.map(Self.words)
            cursor = page.next
            pages += 1
        } while cursor != nil && pages < 20
        #expect(found == ["state a up 1", "state b up 1", "state d up 1", "state e up 1"])
        let small = reports.states(after: nil, limit: 100, bytes: 1)
        #expect(small.reports.count == 1 && small.next == "a")
        #expect(reports.states(after: "e", limit: 100, bytes: 1).next == nil)
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
    func knownSince() throws {
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

    // MARK: Restarts

    /// A log that another run continues, with the reports that it makes under tokens of before.
    private func restore(
        _ ids: String...,
        token: UInt64 = 5,
        beginning: UInt64,
        epoch: String = "e0",
        state: TargetState? = nil
    ) {
        reports.restore(
            CachedAssignments(
                owner: CachedAssignments.Owner(node: "n", location: "berlin", database: "d", role: "r"),
                identity: "f",
                epoch: epoch,
                shards: [CachedAssignments.HeldShard(shard: Self.shard, token: token)],
                targets: ids.map { id in
                    CachedAssignments.HeldTarget(
                        target: AssignedTarget(id: id, shard: Self.shard, declaration: ""),
                        beginning: beginning,
                        state: state
                    )
                }
            )
        )
    }

    @Test("after a restart, events of before count under the token that the node had, from its beginning on")
    func restored() throws {
        watch("a", "b")
        try emit("a", .up())
        let beginning = registry.sequence
        try emit("a", .down())
        try emit("b", .up())
        restore("a", "b", beginning: beginning)
        #expect(votes() == ["a unreachable 5", "b up 5"])
        // The database has the same tokens, then another one.
        hold("a", "b", token: 5, confirmed: 5)
        #expect(votes() == ["a unreachable 5", "b up 5"])
        hold("a", "b", token: 6)
        #expect(votes() == [])
    }

    @Test("numbers of another epoch, and numbers beyond the log's end, are not those of its events")
    func restoredElsewhere() throws {
        watch("a")
        try emit("a", .up())
        restore("a", beginning: 0, epoch: "e9")
        #expect(votes() == [])
        try emit("a", .down())
        #expect(votes() == ["a unreachable 5"])
        let scene = NodeReportsTests()
        scene.watch("a")
        scene.restore("a", beginning: 1_000)
        try scene.emit("a", .up())
        #expect(scene.votes() == ["a up 5"])
    }

    @Test("what an earlier run found does not make this run's first unknown an observation")
    func restoredUnknown() throws {
        watch("a")
        try emit("a", .up())
        restore("a", beginning: 0)
        #expect(votes() == ["a up 5"])
        #expect(reports.states(after: nil, limit: 9, bytes: 1 << 20).reports.map(Self.words) == ["state a up 5"])
        registry.apply(targets: [])
        watch("a")
        #expect(reports.states(after: nil, limit: 9, bytes: 1 << 20).reports == [])
    }

    @Test("tokens of another fleet are forgotten")
    func forgotten() throws {
        watch("a")
        restore("a", beginning: 0)
        try emit("a", .up())
        reports.forget()
        #expect(votes() == [] && additions() == [])
    }

    @Test("what is kept is what the next run restores")
    func kept() throws {
        watch("a", "b", "c")
        try emit("a", .up())
        hold("a", "b", token: 3)
        try emit("b", .down())
        let owner = CachedAssignments.Owner(node: "n", location: "berlin", database: "d", role: "r")
        let targets = ["a", "b", "c"].map { AssignedTarget(id: $0, shard: Self.shard, declaration: "") }
        registry.moveEvents(behind: 100)
        let cached = reports.snapshot.cached(targets, of: owner, identity: "f")
        #expect(cached.epoch == registry.epoch && cached.identity == "f" && cached.owner == owner)
        #expect(cached.shards == [CachedAssignments.HeldShard(shard: Self.shard, token: 3)])
        #expect(cached.targets.map(\.target.id) == ["a", "b"])
        // Unreachable is not what results found.
        #expect(cached.targets.map(\.state) == [.up, nil])
        let other = NodeReports(registry, location: "berlin", wall: clock)
        other.restore(cached)
        guard case .events(let found, _) = other.reports(after: 100, limit: 9, bytes: 1 << 20) else {
            Issue.record("a gap")
            return
        }
        #expect(found.map(Self.words) == ["b unreachable 3"])
    }
}
