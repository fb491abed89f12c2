// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Probing
import Synchronization
import TestSupport
import Testing

@testable import Monitoring

@Suite("Incidents: the registry")
struct IncidentRegistryTests {
    private let clock = FakeClock()
    private let source = FakeSource()
    private let registry: Registry

    init() {
        registry = Registry(clock: clock, timers: ManualClock(), epoch: "e0")
        registry.beginIncidents()
        registry.connect(to: source)
    }

    /// A probed target at an address.
    private func probed(
        _ id: String,
        _ text: String = "198.51.100.10",
        dependsOn: [String] = [],
        fall: Int = 1,
        port: UInt16 = 1
    )
        throws -> TargetSettings
    {
        var settings = TargetSettings.address(id, text)
        settings.dependsOn = dependsOn
        let address = try #require(IPAddress(text))
        let request = ProbeRequest(
            host: .address(address),
            kind: .tcp(TCPProbeSettings(port: port)),
            timeout: .seconds(2)
        )
        settings.probe = ProbePlan(
            .ask(request),
            verdict: try VerdictSettings(fall: fall, rise: 1, interval: .seconds(10))
        )
        return settings
    }

    private func record(_ id: String, _ result: ProbeResult) throws {
        let target = try #require(registry.target(id)?.target)
        _ = registry.record(result, of: target, circumstances: Registry.ProbeContext(gateway: .answers))
    }

    private func refused(_ text: String = "198.51.100.10") -> ProbeResult {
        ProbeResult(
            outcome: .failure,
            reason: .connectRefused,
            detail: "connect: Connection refused",
            duration: .zero,
            address: IPAddress(text)
        )
    }

    /// The engine reports a path of some targets in one batch.
    private func emit(_ ids: [String], _ path: NetworkPath, _ kind: ChangeTrigger.Kind = .link) {
        registry.pathsDidChange(
            ids.compactMap { id in
                let record = registry.target(id)
                return record?.target.flatMap { source.id($0.settings.request) }.map {
                    PathUpdate(
                        id: $0,
                        path: path,
                        previous: record?.path,
                        trigger: ChangeTrigger(kind, interface: "eth0")
                    )
                }
            }
        )
    }

    private var changes: [IncidentChange] {
        registry.changes(after: 0, limit: 10_000).events.compactMap { event in
            if case .incident(let change) = event.content { change } else { nil }
        }
    }

    @Test(
        "Three targets refused at one address are one incident, told of behind each state, and resolved with the last"
    )
    func refusals() throws {
        registry.apply(targets: [try probed("a"), try probed("b"), try probed("c")])
        for id in ["a", "b", "c"] { try record(id, .success) }
        let before = registry.sequence
        for id in ["a", "b", "c"] { try record(id, refused()) }
        let events = registry.changes(after: before, limit: 100).events
        #expect(events.map(\.type) == [.state, .incident, .state, .incident, .state, .incident])
        #expect(events.map(\.sequence) == Array(before + 1...before + 6))
        #expect(changes.map(\.action) == [.opened, .updated, .updated])
        #expect(changes.first?.incident.id == "e0-\(before + 2)", "the event's own id")
        #expect(changes.last?.incident.title == "198.51.100.10 refuses connections: 3 targets down")
        for id in ["a", "b", "c"] { try record(id, .success) }
        #expect(changes.map(\.action) == [.opened, .updated, .updated, .updated, .updated, .closed])
        #expect(registry.incidentTally?.openCount == 0 && registry.incidentTally?.opened == 1)
    }

    @Test("A lost carrier with 600 targets in one batch is one incident of three events")
    func carrier() {
        let ids = (0..<600).map { "t\($0)" }
        registry.apply(targets: ids.enumerated().map { .address($1, "198.51.\($0 / 250).\($0 % 250 + 1)") })
        emit(ids, .up())
        #expect(changes.isEmpty)
        var path = NetworkPath.down(.noCarrier)
        path.interface = NetworkInterface(name: "eth0", index: 2, type: .wiredEthernet)
        emit(ids, path)
        #expect(changes.map(\.action) == [.opened, .updated, .updated])
        #expect(changes.last?.incident.title == "eth0 lost its carrier: 600 targets unreachable")
        #expect(changes.last?.incident.timeline.count == 2)
        emit(ids, .up())
        #expect(changes.suffix(3).map(\.action) == [.updated, .updated, .closed])
    }

    @Test(
        "A service that was down before the uplink failed stays in its own incident; a probe ends the uplink's for it"
    )
    func twoCauses() throws {
        registry.apply(targets: [try probed("web"), try probed("db", "198.51.100.11")])
        emit(["web", "db"], .up())
        try record("web", refused())
        try record("db", .success)
        emit(["web", "db"], .down(.noRoute))
        #expect(registry.incidentTally?.openCount == 2)
        emit(["web", "db"], .up())
        #expect(registry.incidentTally?.openCount == 2, "nothing is judged before the first result")
        try record("web", refused())
        #expect(changes.suffix(2).map { $0.left.map(\.end) } == [[.otherCause], []], "and covers the other no more")
        try record("db", .success)
        let open = registry.incidents(IncidentQuery()).incidents.filter(\.isOpen)
        #expect(open.map(\.title) == ["web is down: connection refused"])
    }

    @Test("The uplink's incident ends when results confirm the fault of before, though the reason is the same")
    func confirmedAgain() throws {
        registry.apply(targets: [try probed("web", fall: 2)])
        func fail() throws {
            let target = try #require(registry.target("web")?.target)
            for _ in 0..<2 {
                let context = Registry.ProbeContext(gateway: .silent)
                _ = registry.record(.failure(.timeout), of: target, circumstances: context)
            }
        }
        emit(["web"], .up())
        try fail()
        emit(["web"], .down(.noRoute))
        emit(["web"], .up())
        #expect(registry.incidentTally?.openCount == 2)
        try fail()
        #expect(changes.suffix(2).map(\.action) == [.closed, .updated])
        #expect(changes.suffix(2).first?.left.map(\.end) == [.otherCause])
        #expect(registry.incidents(IncidentQuery()).incidents.filter(\.isOpen).map(\.cause.kind) == [.gateway])
    }

    @Test(
        "The link's incident ends when it is back, also for a target whose name cannot be resolved",
        arguments: [true, false]
    )
    func unresolvedAfterOutage(isAnswered: Bool) throws {
        registry.apply(targets: [try probed("web"), try probed("api", "198.51.100.11")])
        emit(["web", "api"], .up())
        var path = NetworkPath.down(.noCarrier)
        path.interface = NetworkInterface(name: "eth0", index: 2, type: .wiredEthernet)
        emit(["web", "api"], path)
        #expect(registry.incidents(IncidentQuery()).incidents.map(\.cause.kind) == [.link])
        var unresolved = NetworkPath.down(.nameUnresolved)
        unresolved.resolution = Resolution(state: isAnswered ? .complete : .failed)
        emit(["web"], unresolved)
        emit(["api"], .up())
        try record("api", .success)
        let incidents = registry.incidents(IncidentQuery()).incidents
        #expect(incidents.map(\.cause.kind) == [isAnswered ? .target : .dns, .link])
        #expect(incidents.map(\.isOpen) == [true, false])
        #expect(changes.flatMap(\.left).map(\.end) == [.otherCause, .recovered])
    }

    @Test("A gateway that no neighbour answers for is called silent, although this machine's kernel reports it")
    func absentGateway() throws {
        registry.apply(targets: [try probed("web")])
        emit(["web"], .up())
        let address = try #require(IPAddress("192.0.2.9"))
        let message = PacketError.Message(family: .ipv4, type: 3, code: 1, offender: address)
        let target = try #require(IPAddress("198.51.100.10"))
        var result = ProbeResult(
            outcome: .failure,
            reason: .hostUnreachable,
            detail: "connect: No route to host",
            duration: .zero,
            address: target
        )
        result.packetError = PacketError(systemError: 113, message: message, local: address, peer: target)
        try record("web", result)
        #expect(registry.target("web")?.reason?.offender?.role == .thisMachine)
        #expect(changes.last?.incident.title == "Gateway 192.0.2.1 does not answer: 1 target unreachable")
    }

    @Test("100,000 targets behind one uplink are one incident, whose events stay small")
    func manyTargets() throws {
        let ids = (0..<100_000).map { "t\($0)" }
        registry.apply(targets: ids.enumerated().map { .address($1, "10.\($0 >> 16).\($0 >> 8 & 255).\($0 & 255)") })
        let requests = source.state.withLock { $0.requests }.filter { $1 != PathRequest(.defaultPath()) }
        let handles = requests.keys.sorted { $0.rawValue < $1.rawValue }
        func emit(_ path: NetworkPath) {
            let trigger = ChangeTrigger(.link, interface: "eth0")
            registry.pathsDidChange(
                handles.map { PathUpdate(id: $0, path: path, previous: nil, trigger: trigger) }
            )
        }
        emit(.up())
        let before = registry.sequence
        emit(.down(.noRoute))
        let slices = (ids.count + Registry.sliceLength - 1) / Registry.sliceLength
        #expect(registry.sequence - before == UInt64(ids.count * 3 + slices), "three of each target, and the slices")
        let page = registry.incidents(IncidentQuery())
        #expect(page.incidents.map(\.title) == ["eth0 went down: 100000 targets unreachable"])
        #expect(page.incidents.first?.timeline.count == 2)
        let newest = registry.events(after: registry.sequence - 1, limit: 1).events
        #expect(newest.first?.type == .incident && newest.first.map { $0.data.count < 16_384 } == true)
        emit(.up())
        #expect(registry.incidentTally?.openCount == 0)
    }

    @Test("Both families that lose their routes with a link are one incident, which targets that failed before join")
    func families() throws {
        registry.apply(targets: [
            try probed("four"), try probed("six", "2001:db8::1"), try probed("other", "198.51.100.12"),
        ])
        emit(["four", "six", "other"], .up())
        for id in ["four", "six", "other"] { try record(id, .success) }
        try record("other", .failure(.networkDown))
        emit(["four", "six", "other"], .down(.noRoute))
        let incidents = registry.incidents(IncidentQuery()).incidents
        #expect(incidents.count == 2, "only the one that failed before is of two")
        #expect(incidents.first?.cause.kind == .link && incidents.first?.counts.open == 3)
    }

    @Test("A target that does not answer is inferred to fail, also without an address; a node's report keeps that")
    func inferred() throws {
        registry.apply(targets: try ["a", "b", "c", "d"].map { try probed($0) })
        try record("a", .failure(.timeout))
        try record("b", .failure(.heartbeatMissed))
        try record("c", ProbeResult(outcome: .degraded, reason: .tooSlow, detail: "slow", duration: .seconds(1)))
        try record("d", .failure(.timeout))
        let drop = Diagnosis(reason: .timeout, detail: "", rule: .ownFirewall)
        registry.explain(drop, try #require(registry.target("d")?.target), at: 0)
        #expect(registry.target("d").flatMap { IncidentFault($0) }?.isInferred == true)
        for (id, isInferred) in [("a", true), ("b", false), ("c", false)] {
            let fault = try #require(registry.target(id).flatMap { IncidentFault($0) })
            #expect(fault.cause == IncidentCause(.target, id) && fault.isInferred == isInferred)
            #expect(IncidentFault(stored: fault.stored) == fault)
        }
    }

    @Test("The title names the port while all that fail use it, and not when another probe of the address fails")
    func ports() throws {
        registry.apply(targets: [try probed("a"), try probed("b"), try probed("c", port: 22)])
        let address = IPAddress("198.51.100.10")
        let silent = ProbeResult(
            outcome: .failure,
            reason: .timeout,
            detail: "no connection in time",
            duration: .zero,
            address: address
        )
        try record("a", silent)
        try record("b", silent)
        #expect(changes.last?.incident.title == "198.51.100.10 does not answer at port 1: 2 targets down")
        let incident = try #require(changes.last?.incident)
        #expect(Incident(stored: incident.stored, number: 1)?.description == incident.description)
        try record("c", silent)
        #expect(changes.last?.incident.title == "198.51.100.10 does not answer: 3 targets down")
    }

    @Test("Dependent targets join their parent's incident")
    func dependents() throws {
        registry.apply(targets: [try probed("router"), try probed("web", "203.0.113.1", dependsOn: ["router"])])
        try record("router", .success)
        try record("web", .success)
        try record("router", refused())
        let open = registry.incidents(IncidentQuery()).incidents
        #expect(open.count == 1 && open[0].counts.total == 2 && open[0].counts.unreachable == 1)
        #expect(changes.count == 1, "one change of the registry is one event")
    }

    @Test("Paused, in maintenance, or removed: the part ends; a degraded target alone is an incident of that severity")
    func ends() throws {
        registry.apply(targets: try ["a", "b", "c", "d"].map { try probed($0) })
        for id in ["a", "b", "c"] { try record(id, refused()) }
        registry.setPaused(true, target: "a")
        registry.setMaintenance(true, target: "b")
        registry.apply(targets: [try probed("a"), try probed("b"), try probed("d")])
        #expect(changes.suffix(3).flatMap(\.left).map(\.end) == [.paused, .maintenance, .removed])
        #expect(changes.last?.action == .closed)
        try record("d", ProbeResult(outcome: .degraded, reason: .tooSlow, detail: "slow", duration: .seconds(1)))
        let open = try #require(registry.incidents(IncidentQuery()).incidents.first)
        #expect(open.severity == .degraded && open.title == "d is degraded: too slow")
    }

    @Test("After a restart open incidents go on: unknown is no recovery, and what is not declared any more ends")
    func restart() throws {
        registry.apply(targets: [try probed("a"), try probed("b")])
        try record("a", refused())
        try record("b", refused())
        let next = Registry(clock: clock, timers: ManualClock(), epoch: "e1")
        next.beginIncidents(registry.storedIncidents)
        next.apply(targets: [try probed("a")])
        let told = next.changes(after: 0, limit: 99).events.filter { $0.type == .incident }
        #expect(told.count == 1, "the removed target")
        let open = try #require(next.incidents(IncidentQuery()).incidents.first)
        #expect(open.isOpen && open.counts.open == 1 && open.id == changes.first?.incident.id)
        let target = try #require(next.target("a")?.target)
        _ = next.record(.success, of: target, circumstances: Registry.ProbeContext(gateway: .answers))
        #expect(next.incidents(IncidentQuery()).incidents.first?.closedAt == clock.now())
    }

    @Test("What people write is an event, too")
    func edits() throws {
        registry.apply(targets: [try probed("a")])
        try record("a", refused())
        let id = try #require(changes.first?.incident.id)
        var edit = IncidentEdit()
        edit.acknowledgedBy = .some("anna")
        try registry.editIncident(id, edit)
        #expect(changes.last?.action == .edited && changes.last?.incident.acknowledgement?.by == "anna")
        #expect(throws: IncidentEditError.unknown) { try registry.editIncident("e0-9999", edit) }
        #expect(throws: IncidentEditError.condition) { try registry.editIncident(id, edit) { _, _ in false } }
    }
}
