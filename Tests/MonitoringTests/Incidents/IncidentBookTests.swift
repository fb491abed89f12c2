// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Diagnosis
import Testing

@testable import Monitoring

@Suite("Incidents: the book")
struct IncidentBookTests {
    private let refusal = IncidentCause(.refusal, "198.51.100.10")
    private let uplink = IncidentCause(.link, "eth0")

    @Test("Targets that fail for one cause are one incident, which ends with the last of them")
    func together() throws {
        var scene = BookScene()
        scene.fail("a", refusal)
        scene.fail("b", refusal)
        let opened = scene.settle()
        #expect(opened.map(\.action) == [.opened] && opened[0].joined.map(\.target) == ["a", "b"])
        scene.fail("c", refusal)
        #expect(scene.settle().map(\.action) == [.updated])
        scene.recover("a")
        scene.recover("b")
        #expect(scene.settle().first?.left.count == 2)
        scene.recover("c")
        let closed = try #require(scene.settle().first)
        #expect(closed.action == .closed && !closed.incident.isOpen && closed.incident.closedAt == scene.now)
        #expect(closed.incident.counts.total == 3)
        #expect(closed.incident.timeline.map(\.kind) == [.opened, .joined, .left, .closed])
    }

    @Test("Targets that join soon after each other share a line of the timeline, and later ones have their own")
    func lines() throws {
        var scene = BookScene()
        for (target, pause) in [("web", 0), ("db", 1), ("mail", 60_000), ("cache", 60_001)] {
            scene.pass(Int64(pause))
            scene.fail(target, hop, .route, .unreachable)
            _ = scene.settle()
        }
        let timeline = try #require(scene.book.page(IncidentQuery()).incidents.first?.timeline)
        #expect(timeline.map(\.kind) == [.opened, .joined, .joined] && timeline.map(\.count) == [1, 2, 1])
        #expect(timeline[1].until?.milliseconds == timeline[1].at.milliseconds + 60_000 && timeline[2].until == nil)
    }

    @Test("A verdict farther away ends what is nearer, and leaves alone what was there before")
    func distances() {
        var scene = BookScene()
        scene.fail("web", refusal)
        scene.fail("web", uplink, .path, .unreachable)
        scene.fail("db", uplink, .path, .unreachable)
        #expect(scene.settle().map(\.action) == [.opened, .opened])
        #expect(scene.book.page(IncidentQuery()).incidents.allSatisfy { $0.isOpen })
        scene.fail("web", refusal)
        let changes = scene.settle()
        #expect(changes.count == 2 && changes[0].left.map(\.end) == [.otherCause])
        scene.recover("db")
        #expect(scene.settle().map(\.action) == [.closed])
        #expect(scene.book.page(IncidentQuery()).incidents.filter(\.isOpen).map(\.cause) == [refusal])
    }

    @Test("An incident is covered while all its failing targets are in a nearer one, whose event comes first")
    func covered() throws {
        var scene = BookScene()
        scene.fail("a", refusal)
        scene.fail("b", refusal)
        let old = try #require(scene.settle().first?.incident)
        scene.fail("a", uplink, .path, .unreachable)
        #expect(scene.settle().map(\.incident.coveredBy) == [nil], "one of its targets is not in it")
        scene.pass(1_000)
        scene.fail("b", uplink, .path, .unreachable)
        scene.fail("b", uplink, .path, .degraded)
        let changes = scene.settle()
        let near = try #require(changes.first?.incident)
        #expect(changes.map(\.action) == [.updated, .updated] && changes.map(\.at) == [scene.now, scene.now])
        #expect(near.cause == uplink && near.coveredBy == nil)
        #expect(changes.last?.incident.id == old.id && changes.last?.incident.coveredBy == near.id)
        #expect(changes.last?.incident.timeline.map(\.kind) == [.opened], "no line of its own")
        let stored = try #require(changes.last?.incident)
        #expect(Incident(stored: stored.stored, number: stored.number)?.coveredBy == near.id)
        scene.fail("new", refusal)
        #expect(scene.settle().map(\.incident.coveredBy) == [nil], "a target joined that is in no nearer one")
        scene.recover("new")
        #expect(scene.settle().map(\.incident.coveredBy) == [near.id])
        scene.fail("a", refusal)
        #expect(scene.settle().last?.incident.coveredBy == nil)
    }

    @Test("An incident that begins in the same step as what covers it has the id of that")
    func coveredAtOnce() {
        var scene = BookScene()
        scene.fail("a", refusal)
        scene.fail("a", uplink, .path, .unreachable)
        let changes = scene.settle()
        #expect(changes.map(\.incident.cause) == [uplink, refusal])
        #expect(changes.last?.incident.coveredBy == changes.first?.incident.id)
    }

    @Test("Another cause at the same distance is taken over by the open incident, also for others")
    func takenOver() {
        var scene = BookScene()
        scene.fail("web", refusal)
        scene.fail("web", silence)
        scene.fail("db", silence)
        let changes = scene.settle()
        #expect(changes.count == 1 && changes[0].joined.count == 2 && changes[0].incident.otherCauses == [silence])
        #expect(changes[0].incident.timeline.map(\.kind) == [.opened, .changed])
    }

    private let silence = IncidentCause(.silence, "198.51.100.10")
    private let hop = IncidentCause(.hop, "203.0.113.2")

    @Test("An inferred cause that a later inference refutes is corrected in place: one incident, with another title")
    func corrected() throws {
        var scene = BookScene()
        scene.fail("web", silence)
        let first = try #require(scene.settle().first?.incident)
        scene.pass(2_000)
        scene.fail("web", hop, .route, .unreachable)
        let changes = scene.settle()
        let incident = try #require(changes.first?.incident)
        #expect(changes.map(\.action) == [.updated] && incident.id == first.id && incident.cause == hop)
        #expect(incident.title == "Packets end after 203.0.113.2: 1 target unreachable")
        #expect(incident.severity == .unreachable && incident.otherCauses.isEmpty)
        #expect(incident.timeline.map(\.kind) == [.opened, .corrected] && incident.timeline[1].text == "Web is down")
        #expect(scene.book.tally.open.keys.map(\.kind) == [.hop])
        scene.fail("db", hop, .route, .unreachable)
        scene.fail("mail", silence)
        #expect(scene.settle().map(\.action) == [.updated, .opened], "the old cause is no longer its own")
        scene.recover("web")
        scene.recover("db")
        #expect(scene.settle().map(\.action) == [.closed])
    }

    @Test("A trace that ends elsewhere, or an answer of the route, corrects the cause whatever the distance")
    func correctedBack() {
        var scene = BookScene()
        let other = IncidentCause(.router, "203.0.113.6")
        for (cause, distance) in [(hop, FaultDistance.route), (other, .route), (silence, .target), (hop, .route)] {
            scene.fail("web", cause, distance)
            #expect(scene.settle().count == 1)
            #expect(scene.book.page(IncidentQuery()).incidents.map(\.cause) == [cause])
        }
    }

    @Test("A target that refutes the cause leaves the others, for an incident that is open or a new one")
    func correctedElsewhere() {
        var scene = BookScene()
        for target in ["a", "b", "c"] { scene.fail(target, hop, .route, .unreachable) }
        _ = scene.settle()
        scene.fail("a", silence)
        let moved = scene.settle()
        #expect(moved.map(\.action) == [.opened, .updated] && moved[1].left.map(\.end) == [.corrected])
        scene.fail("a", hop, .route, .unreachable)
        let back = scene.settle()
        #expect(back.map(\.action) == [.updated, .closed] && back[1].left.map(\.end) == [.corrected])
        #expect(scene.book.page(IncidentQuery()).incidents.filter(\.isOpen).map(\.counts.open) == [3])
    }

    @Test(
        "A fault that began before a nearer one goes on behind it, whichever target shows that first",
        arguments: [["dead", "a"], ["a", "dead"]]
    )
    func hidden(order: [String]) throws {
        var scene = BookScene()
        scene.fail("dead", silence, onset: FaultOnset(workedAt: 0, failedAt: 10))
        let dead = try #require(scene.settle().first?.incident)
        for target in order {
            scene.pass(1_000)
            let failedAt: UInt64 = target == "dead" ? 25 : 21
            scene.fail(target, hop, .route, .unreachable, onset: FaultOnset(workedAt: 20, failedAt: failedAt))
        }
        #expect(scene.settle().map(\.action) == [.opened, .updated], "the older one is covered")
        #expect(scene.book.incidents(of: "dead").count == 2 && scene.book.incidents(of: "a").count == 1)
        scene.recover("a")
        _ = scene.settle()
        scene.fail("dead", silence, onset: FaultOnset(workedAt: 0, failedAt: 10))
        #expect(scene.settle().map(\.action) == [.closed, .updated])
        #expect(scene.book.incidents(of: "dead") == [dead.id])
    }

    @Test("A fault that began after another one's end is not behind it", arguments: [10, 21] as [UInt64])
    func movedFault(failingSince: UInt64) throws {
        var scene = BookScene()
        let onset = FaultOnset(workedAt: 0, failedAt: 10)
        for target in ["a", "b", "c"] { scene.fail(target, hop, .route, .unreachable, onset: onset) }
        let first = try #require(scene.settle().first?.incident)
        scene.recover("c")
        _ = scene.settle()
        let other = IncidentCause(.hop, "203.0.113.6")
        var changes: [IncidentChange] = []
        for target in ["a", "b"] {
            let onset = FaultOnset(workedAt: 20, failedAt: 21, failingSince: failingSince)
            scene.fail(target, other, .route, .unreachable, onset: onset)
            changes += scene.settle()
        }
        let isOver = failingSince > 20
        #expect(changes.contains { $0.action == .closed && $0.incident.id == first.id } == isOver)
        #expect(scene.book.incidents(of: "a").count == (isOver ? 1 : 2))
        #expect(scene.book.page(IncidentQuery()).openCount == (isOver ? 1 : 2))
    }

    @Test("A nearer router explains what failed behind it since it worked last, also when another target shows it")
    func explained() throws {
        for workedAt: UInt64 in [9, 11] {
            var scene = BookScene()
            scene.fail("dead", silence, onset: FaultOnset(workedAt: 0, failedAt: 10))
            let first = try #require(scene.settle().first?.incident)
            scene.take(
                "a",
                .failing(IncidentCause(.gateway, "192.0.2.1"), .route, .unreachable),
                isInferred: true,
                onset: FaultOnset(workedAt: workedAt, failedAt: 12, failingSince: 12),
                companions: ["a", "dead"]
            )
            let change = try #require(scene.settle().first)
            #expect(change.action == (workedAt < 10 ? .updated : .opened))
            #expect((change.incident.id == first.id) == (workedAt < 10) && change.incident.cause.kind == .gateway)
            #expect(change.incident.counts.open == (workedAt < 10 ? 2 : 1))
        }
    }

    @Test("Another inference for the same targets is one fault, whenever its element worked")
    func sameTargets() throws {
        var scene = BookScene()
        for target in ["a", "b"] { scene.fail(target, silence, onset: FaultOnset(workedAt: 0, failedAt: 10)) }
        let first = try #require(scene.settle().first?.incident)
        for target in ["a", "b"] {
            scene.fail(target, hop, .route, .unreachable, onset: FaultOnset(workedAt: 20, failedAt: 25))
        }
        let changes = scene.settle()
        #expect(changes.map(\.action) == [.updated] && changes.first?.incident.id == first.id)
        #expect(changes.first?.incident.cause == hop && scene.book.incidents(of: "a") == [first.id])
    }

    @Test("A nearer hop that worked last before a target failed corrects what the target seemed to fail for")
    func correctedByOnset() {
        var scene = BookScene()
        scene.fail("web", silence, onset: FaultOnset(workedAt: 0, failedAt: 10))
        _ = scene.settle()
        scene.fail("web", hop, .route, .unreachable, onset: FaultOnset(workedAt: 9, failedAt: 10))
        #expect(scene.settle().map(\.action) == [.updated])
    }

    @Test("Another hop is named for all that fail, in the same incident")
    func correctedTogether() {
        var scene = BookScene()
        let other = IncidentCause(.hop, "203.0.113.6")
        for target in ["a", "b", "c"] { scene.fail(target, hop, .route, .unreachable) }
        _ = scene.settle()
        for target in ["a", "b", "c"] { scene.fail(target, other, .route, .unreachable) }
        #expect(scene.settle().map(\.action) == [.updated])
        let incidents = scene.book.page(IncidentQuery()).incidents
        #expect(incidents.map(\.cause) == [other] && incidents.map(\.counts.open) == [3])
    }

    @Test(
        "A server that died in the outage of its router has an incident of its own, whenever that is found",
        arguments: 0..<4,
        [IncidentCause(.silence, "198.51.100.10"), IncidentCause(.hop, "203.0.113.6")]
    )
    func diedMeanwhile(recoveries: Int, own: IncidentCause) throws {
        var scene = BookScene()
        let targets = ["server", "a", "b", "c"]
        for target in targets { scene.fail(target, hop, .route, .unreachable) }
        let router = try #require(scene.settle().first?.incident)
        var (closed, recovered): ([IncidentChange], [String]) = ([], [])
        for number in 0..<4 {
            scene.pass(1_000)
            if number == recoveries {
                scene.fail("server", own, own.kind == .hop ? .route : .target)
            } else {
                let next = targets[recovered.count + 1]
                recovered.append(next)
                scene.recover(next)
            }
            closed += scene.settle().filter { $0.action == .closed }
        }
        let incidents = scene.book.page(IncidentQuery()).incidents
        #expect(incidents.map(\.cause) == [own, hop] && incidents.map(\.isOpen) == [true, false])
        #expect(incidents.first?.counts.total == 1)
        #expect(incidents.last?.timeline.contains { $0.kind == .corrected } == false)
        #expect(closed.map(\.incident.id) == [router.id])
    }

    @Test("Targets that were down alone leave for the incident of the firewall that drops their packets")
    func droppedLocally() throws {
        var scene = BookScene()
        for target in ["a", "b"] {
            scene.take(target, .failing(IncidentCause(.target, target), .target, .down), isInferred: true)
        }
        let first = try #require(scene.settle().first?.incident)
        for target in ["a", "b"] {
            scene.pass(1_000)
            let dropped = IncidentObservation.Condition.failing(IncidentCause(.firewall), .network, .unreachable)
            scene.take(target, dropped, isInferred: true)
            _ = scene.settle()
        }
        let open = scene.book.page(IncidentQuery()).incidents.filter(\.isOpen)
        #expect(open.map(\.id) == [first.id] && open.map(\.cause.kind) == [.firewall])
        #expect(open.map(\.severity) == [.unreachable] && open.map(\.counts.unreachable) == [2])
    }

    @Test(
        "A router that is a target, and the targets behind it, are one incident, whichever fails first",
        arguments: [["core", "a", "b"], ["a", "core", "b"], ["a", "b", "core"]],
        ["core", "a"]
    )
    func routerIsTarget(order: [String], recovered: String) throws {
        var scene = BookScene()
        var opened: [IncidentChange] = []
        for target in order {
            scene.pass(1_000)
            if target == "core" {
                scene.fail("core", IncidentCause(.silence, "203.0.113.6"))
            } else {
                let nextHop = target == order.first { $0 != "core" } ? "203.0.113.6" : nil
                scene.take(target, .failing(hop, .route, .unreachable), nextHop: nextHop)
            }
            opened += scene.settle().filter { $0.action == .opened }
        }
        let incident = try #require(scene.book.page(IncidentQuery()).incidents.first)
        #expect(opened.map(\.incident.id) == [incident.id] && incident.severity == .down)
        #expect(incident.title == "203.0.113.6 does not answer: 1 target down, 2 unreachable")
        scene.recover(recovered)
        #expect(scene.settle().map(\.action) == [.updated])
        for target in order { scene.recover(target) }
        #expect(scene.settle().map(\.action) == [.closed])
        scene.fail("core", IncidentCause(.silence, "203.0.113.6"))
        #expect(scene.settle().map(\.action) == [.reopened])
    }

    @Test(
        "Silence behind a router and its own reports, of which it sends few, are one incident, called after the reports",
        arguments: [true, false],
        [true, false]
    )
    func twoWitnesses(isSilentFirst: Bool, wasReported: Bool) throws {
        var scene = BookScene()
        let router = IncidentCause(.router, hop.subject)
        // An earlier outage is over, and may be opened again.
        if wasReported {
            scene.fail("a", router, .route, .unreachable)
            scene.recover("a")
            _ = scene.settle()
        }
        for (index, target) in ["a", "b", "c", "d"].enumerated() {
            scene.fail(target, index.isMultiple(of: 2) == isSilentFirst ? hop : router, .route, .unreachable)
        }
        let incident = try #require(scene.settle().first?.incident)
        #expect(incident.cause == router && incident.counts.unreachable == 4)
        // A target that was silent, while others are, gets a report, and the next one none.
        scene.fail("a", isSilentFirst ? router : hop, .route, .unreachable)
        scene.fail("b", isSilentFirst ? hop : router, .route, .unreachable)
        #expect(scene.settle().allSatisfy { $0.action == .updated })
        let open = scene.book.page(IncidentQuery()).incidents.filter(\.isOpen)
        #expect(open.map(\.id) == [incident.id] && open.map(\.cause) == [router])
        for target in ["a", "b", "c", "d"] { scene.recover(target) }
        #expect(scene.settle().map(\.action) == [.closed])
    }

    @Test(
        "A report corrects the incident of the silence behind the router, also where its only target was in it",
        arguments: [IncidentCause.Kind.router, .gateway]
    )
    func reportOfOne(kind: IncidentCause.Kind) throws {
        var scene = BookScene()
        let router = IncidentCause(kind, hop.subject)
        scene.fail("a", hop, .route, .unreachable)
        let incident = try #require(scene.settle().first?.incident)
        scene.fail("a", router, .route, .unreachable)
        let change = try #require(scene.settle().first)
        #expect(change.action == .updated && change.incident.id == incident.id && change.incident.cause == router)
        #expect(change.incident.otherCauses == [hop])
        scene.fail("a", hop, .route, .unreachable)
        #expect(scene.settle().isEmpty, "the report is known")
    }

    @Test("Silence behind a gateway is one fault with its reports, and not with its own silence")
    func gateway() {
        for distance in [FaultDistance.network, .route] {
            var scene = BookScene()
            for target in ["a", "b"] {
                scene.take(
                    target,
                    .failing(IncidentCause(.gateway, hop.subject), distance, .unreachable),
                    isInferred: true
                )
            }
            _ = scene.settle()
            scene.fail("c", hop, .route, .unreachable)
            _ = scene.settle()
            #expect(scene.book.page(IncidentQuery()).openCount == (distance == .route ? 1 : 2))
        }
    }

    @Test(
        "A gateway that is a target and those behind it are one incident, called after it, whichever fails first",
        arguments: [["gw", "a", "b"], ["a", "gw", "b"], ["a", "b", "gw"]]
    )
    func gatewayIsTarget(order: [String]) throws {
        var scene = BookScene()
        let (gateway, silence) = (IncidentCause(.gateway, "192.0.2.1"), IncidentCause(.silence, "192.0.2.1"))
        var opened: [IncidentChange] = []
        for target in order {
            scene.pass(1_000)
            if target == "gw" { scene.fail("gw", silence) } else { scene.fail(target, gateway, .network, .unreachable) }
            opened += scene.settle().filter { $0.action == .opened }
        }
        func incident() throws -> Incident { try #require(scene.book.page(IncidentQuery()).incidents.first) }
        #expect(opened.count == 1)
        #expect(try incident().cause == gateway && incident().severity == .down)
        #expect(try incident().title == "Gateway 192.0.2.1 does not answer: 1 target down, 2 unreachable")
        for target in ["a", "b"] {
            scene.recover(target)
            #expect(scene.settle().map(\.action) == [.updated])
        }
        #expect(try incident().cause == gateway && incident().otherCauses == [silence])
        scene.recover("gw")
        #expect(scene.settle().map(\.action) == [.closed])
        // The target alone is no outage of the gateway, and does not take its incident.
        scene.fail("gw", silence)
        #expect(scene.settle().map(\.action) == [.opened])
    }

    @Test("A drop that was inferred is called after the gateway whose silence is observed then")
    func observedGateway() throws {
        var scene = BookScene()
        let gateway = IncidentCause(.gateway, "192.0.2.1")
        for target in ["a", "b"] {
            scene.take(target, .failing(IncidentCause(.firewall), .network, .unreachable), isInferred: true)
        }
        _ = scene.settle()
        scene.fail("a", gateway, .network, .unreachable)
        #expect(scene.settle().map(\.action) == [.updated])
        scene.fail("b", gateway, .network, .unreachable)
        _ = scene.settle()
        let incidents = scene.book.page(IncidentQuery()).incidents
        #expect(incidents.map(\.cause) == [gateway] && incidents.map(\.counts.open) == [2])
    }

    @Test(
        "When the default route changes to a gateway that drops, too, the incident of the first is called after the second"
    )
    func otherGateway() throws {
        var scene = BookScene()
        let gateways = ["192.0.2.1", "192.0.2.2"].map { IncidentCause(.hop, $0) }
        for target in ["a", "b"] {
            scene.take(target, .failing(gateways[0], .route, .unreachable), nextHop: "203.0.113.6")
        }
        let incident = try #require(scene.settle().first?.incident)
        scene.take("a", .failing(gateways[1], .route, .unreachable), nextHop: "203.0.113.6")
        let change = try #require(scene.settle().first)
        #expect(change.action == .updated && change.incident.id == incident.id && change.incident.cause == gateways[1])
        scene.take("b", .failing(gateways[1], .route, .unreachable), nextHop: "203.0.113.6")
        // Another target, by the first gateway to the same router.
        scene.take("c", .failing(gateways[0], .route, .unreachable), nextHop: "203.0.113.6")
        _ = scene.settle()
        let open = scene.book.page(IncidentQuery()).incidents.filter(\.isOpen)
        #expect(open.map(\.id) == [incident.id] && open.map(\.cause) == [gateways[1]])
        #expect(open.map(\.counts.unreachable) == [3])
    }

    @Test("After a hop's incident ended, the router behind it has an incident of its own")
    func routerIsTargetLater() {
        var scene = BookScene()
        scene.take("a", .failing(hop, .route, .unreachable), nextHop: "203.0.113.6")
        scene.recover("a")
        _ = scene.settle()
        scene.fail("core", IncidentCause(.silence, "203.0.113.6"))
        #expect(scene.settle().map(\.action) == [.opened])
    }

    @Test("Observed causes are not refuted, and silence of two addresses is one inference")
    func uncorrected() {
        var scene = BookScene()
        scene.fail("web", refusal)
        scene.fail("web", hop, .route, .unreachable)
        scene.fail("db", silence)
        scene.fail("db", IncidentCause(.gateway, "192.0.2.1"), .network, .unreachable)
        scene.fail("ftp", IncidentCause(.silence, "198.51.100.20"))
        scene.fail("ftp", IncidentCause(.silence, "198.51.100.21"))
        #expect(scene.settle().count == 5)
        let open = scene.book.page(IncidentQuery()).incidents
        #expect(Set(open.map(\.cause)).isSuperset(of: [refusal, hop, silence]))
        #expect(open.filter { !$0.otherCauses.isEmpty }.map(\.cause.subject) == ["198.51.100.20"])
    }

    @Test("A silent target without an address is inferred, a wrong answer observed; a store keeps that")
    func correctedTarget() throws {
        for isInferred in [true, false] {
            var scene = BookScene()
            scene.take("web", .failing(IncidentCause(.target, "web"), .target, .down), isInferred: isInferred)
            _ = scene.settle()
            let stored = try scene.book.stored.map { stored in
                let incident = try #require(Incident(stored: stored.incident.stored, number: stored.incident.number))
                return StoredIncident(incident, members: stored.members)
            }
            scene.book = IncidentBook()
            scene.book.restore(stored)
            scene.fail("web", hop, .route, .unreachable)
            _ = scene.settle()
            #expect(scene.book.page(IncidentQuery()).incidents.count == (isInferred ? 1 : 2))
        }
    }

    @Test("Dependent targets stay in the incident of their parent when it is corrected")
    func correctedParent() {
        var scene = BookScene()
        scene.fail("router", silence)
        scene.fail("web", IncidentCause(.parent, "router"), .parent, .unreachable)
        scene.fail("db", IncidentCause(.parent, "router"), .parent, .unreachable)
        _ = scene.settle()
        scene.fail("router", hop, .route, .unreachable)
        #expect(scene.settle().map(\.incident.cause) == [hop])
        #expect(scene.book.page(IncidentQuery()).incidents.map(\.counts.open) == [3])
    }

    @Test("A dependent target joins the incident of its parent, and keeps it open")
    func parents() {
        var scene = BookScene()
        scene.fail("router", IncidentCause(.silence, "192.0.2.1"))
        scene.fail("web", IncidentCause(.parent, "router"), .parent, .unreachable)
        #expect(scene.settle().map(\.joined.count) == [2])
        scene.recover("router")
        #expect(scene.settle().map(\.action) == [.updated])
        scene.recover("web")
        #expect(scene.settle().map(\.action) == [.closed])
        scene.fail("db", IncidentCause(.parent, "gone"), .parent, .unreachable)
        #expect(scene.settle().first?.incident.title == "gone cannot be used: 1 target unreachable")
    }

    @Test("Dependent targets follow their parent when it alone has another fault")
    func ledByParent() {
        var scene = BookScene()
        for target in ["router", "other"] { scene.fail(target, hop, .route, .unreachable) }
        scene.fail("web", IncidentCause(.parent, "router"), .parent, .unreachable)
        scene.fail("app", IncidentCause(.parent, "web"), .parent, .unreachable)
        #expect(scene.settle().map(\.joined.count) == [4])
        scene.fail("router", silence)
        #expect(scene.settle().map(\.incident.counts.open).sorted() == [1, 3])
        scene.recover("other")
        #expect(scene.settle().map(\.action) == [.closed])
        // One that failed before its parent was seen to.
        scene.fail("db", IncidentCause(.parent, "disk"), .parent, .unreachable)
        _ = scene.settle()
        scene.fail("disk", refusal)
        #expect(scene.settle().map(\.incident.counts.open).sorted() == [0, 2])
    }

    @Test("The same cause soon after opens the incident again; later it is a new one")
    func reopening() throws {
        var scene = BookScene()
        scene.fail("web", refusal)
        let first = try #require(scene.settle().first?.incident)
        scene.recover("web")
        _ = scene.settle()
        scene.pass(IncidentBook.reopeningTime)
        scene.fail("web", refusal)
        let again = try #require(scene.settle().first)
        #expect(again.action == .reopened && again.incident.id == first.id && again.incident.reopenings == 1)
        #expect(scene.book.details(of: first.id, from: 0, limit: 9)?.members.map(\.turns) == [2])
        scene.recover("web")
        _ = scene.settle()
        scene.pass(IncidentBook.reopeningTime + 1)
        scene.fail("web", refusal)
        let new = try #require(scene.settle().first)
        #expect(new.action == .opened && new.incident.id != first.id)
    }

    @Test("An incident that is opened again begins anew: title, severity, age, acknowledgement; a store keeps that")
    func begunAnew() throws {
        var scene = BookScene()
        scene.fail("web", refusal)
        scene.fail("web", silence)
        let first = try #require(scene.settle().first?.incident)
        var edit = IncidentEdit()
        edit.acknowledgedBy = .some("anna")
        edit.mutedUntil = .some(Timestamp(milliseconds: 9_000_000))
        try scene.book.apply(edit, to: first.id, at: scene.now)
        scene.recover("web")
        _ = scene.settle()
        scene.pass(60_000)
        scene.fail("db", silence, state: .degraded)
        let again = try #require(scene.settle().first?.incident)
        #expect(again.id == first.id && again.openedAt == first.openedAt && again.begunAt == scene.now)
        #expect(again.cause == silence && again.otherCauses.isEmpty && again.severity == .degraded)
        #expect(again.description.target == "db" && again.title == "Db is degraded" && again.counts.total == 1)
        #expect(again.acknowledgement == nil && again.mutedUntil != nil)
        #expect(again.timeline.suffix(2).map(\.kind) == [.reopened, .unacknowledged])
        let stored = try #require(Incident(stored: again.stored, number: again.number))
        #expect(stored.begunAt == again.begunAt && stored.openedAt == again.openedAt)
        let earlier = String(decoding: first.stored, as: UTF8.self)
        #expect(!earlier.contains("begun"), "the form of earlier versions")
        #expect(Incident(stored: first.stored, number: 1)?.begunAt == first.openedAt)
    }

    @Test("An incident that is opened again counts the targets of the present outage, also after a restart")
    func countedAnew() throws {
        var scene = BookScene()
        for target in ["a", "b", "c"] { scene.fail(target, hop, .route, .unreachable) }
        _ = scene.settle()
        for target in ["a", "b", "c"] { scene.recover(target) }
        _ = scene.settle()
        scene.pass(60_000)
        for target in ["a", "d"] { scene.fail(target, hop, .route, .unreachable) }
        let again = try #require(scene.settle().first?.incident)
        #expect(again.title == "Packets end after 203.0.113.2: 2 targets unreachable")
        scene.pass(1_000)
        scene.recover("d")
        scene.fail("d", hop, .route, .unreachable)
        scene.fail("c", hop, .route, .unreachable)
        #expect(scene.settle().first?.incident.counts.total == 3)
        let members = try #require(scene.book.details(of: again.id, from: 0, limit: 9)?.members)
        #expect(members.filter(again.concerns).map(\.target) == ["a", "c", "d"])
        #expect(members.map(\.turns) == [2, 1, 2, 2])
        let stored = scene.book.stored
        scene.book = IncidentBook()
        scene.book.restore(stored)
        #expect(scene.book.page(IncidentQuery()).incidents.map(\.counts.total) == [3])
    }

    @Test("An incident that begins and ends in one step is told of twice; nothing is told of what is as before")
    func oneStep() {
        var scene = BookScene()
        scene.fail("web", refusal)
        scene.recover("web")
        #expect(scene.settle().map(\.action) == [.opened, .closed])
        #expect(scene.settle().isEmpty)
        scene.recover("web")
        #expect(!scene.book.isChanged)
    }

    @Test("Pause, maintenance and removal end a part without a recovery; the unknown changes nothing")
    func ends() {
        var scene = BookScene()
        for (target, end) in zip(["a", "b", "c"], [IncidentMember.End.paused, .maintenance, .removed]) {
            scene.fail(target, refusal)
            _ = scene.settle()
            scene.take(target, .unjudged)
            #expect(scene.settle().isEmpty)
            scene.take(target, .leaving(end))
            #expect(scene.settle().first?.left.first?.end == end)
        }
    }

    @Test("Titles name targets, interfaces and addresses")
    func titles() {
        var scene = BookScene()
        scene.fail("web", IncidentCause(.target, "web"), state: .degraded)
        #expect(scene.settle().first?.incident.title == "Web is degraded")
        scene.fail("web", IncidentCause(.target, "web"))
        #expect(scene.settle().first?.incident.title == "Web is down", "the severity is the worst")
        scene.fail("a", refusal)
        #expect(scene.settle().first?.incident.title == "A is down")
        scene.fail("b", refusal)
        #expect(scene.settle().first?.incident.title == "198.51.100.10 refuses connections: 2 targets down")
        scene.recover("a")
        #expect(scene.settle().first?.incident.title == "198.51.100.10 refuses connections: 1 target down", "not A")
        scene.recover("b")
        #expect(scene.settle().first?.incident.title == "198.51.100.10 refuses connections: 2 targets down", "all")
        scene.fail("c", uplink, .path, .unreachable)
        #expect(scene.settle().first?.incident.title == "eth0 went down: 1 target unreachable")
    }

    @Test(
        "Titles say what a router reports",
        arguments: [
            ("host_unreachable", "does not reach what is behind it"), ("network_unreachable", "has no route"),
            ("ttl_exceeded", "sends packets in circles"), ("prohibited", "rejects packets"),
            ("reset", "does not forward packets"),
        ]
    )
    func reports(code: String, words: String) {
        var scene = BookScene()
        let router = IncidentCause(.router, "203.0.113.2")
        let fault = IncidentFault(router, .route, code: code, detail: nil)
        scene.take("a", .failing(router, .route, .unreachable), evidence: .reported(fault))
        #expect(scene.settle().first?.incident.title == "Router 203.0.113.2 \(words): 1 target unreachable")
    }

    @Test("Edits are idempotent and bounded")
    func edits() throws {
        var scene = BookScene()
        scene.fail("web", refusal)
        let id = try #require(scene.settle().first?.incident.id)
        var edit = IncidentEdit()
        edit.acknowledgedBy = .some("anna")
        edit.mutedUntil = .some(Timestamp(milliseconds: 9_000))
        edit.note = (author: "anna", text: "the disk is full")
        try scene.book.apply(edit, to: id, at: scene.now)
        let change = try #require(scene.settle().first)
        #expect(change.action == .edited && change.incident.acknowledgement?.by == "anna")
        #expect(change.incident.timeline.map(\.kind) == [.opened, .acknowledged, .muted, .noted])
        try scene.book.apply(edit, to: id, at: scene.now)
        #expect(!scene.book.isChanged, "the same again is no change")
        edit = IncidentEdit()
        edit.acknowledgedBy = .some(nil)
        edit.mutedUntil = .some(nil)
        try scene.book.apply(edit, to: id, at: scene.now)
        #expect(scene.settle().first?.incident.mutedUntil == nil)
        for number in 1..<IncidentLimits.notes {
            edit = IncidentEdit()
            edit.note = (author: "anna", text: "\(number)")
            try scene.book.apply(edit, to: id, at: scene.now)
        }
        edit.note = (author: "anna", text: "one more")
        #expect(throws: IncidentEditError.tooManyNotes) { try scene.book.apply(edit, to: id, at: scene.now) }
        #expect(throws: IncidentEditError.unknown) { try scene.book.apply(edit, to: "e-99", at: scene.now) }
    }

    @Test("Closed incidents beyond the limits are forgotten, oldest first, and what is told says which")
    func limits() {
        var limits = IncidentLimits()
        limits.closed = 2
        var scene = BookScene(limits)
        var dropped: [UInt64] = []
        for number in 0..<5 {
            scene.pass(1_000)
            scene.fail("t\(number)", IncidentCause(.target, "t\(number)"))
            scene.recover("t\(number)")
            dropped += scene.settle().flatMap(\.dropped)
        }
        let left = scene.book.page(IncidentQuery()).incidents
        #expect(left.map(\.description.target) == ["t4", "t3"] && dropped.count == 3)
        scene.book.forget(closedBefore: scene.now)
        #expect(scene.book.page(IncidentQuery()).incidents.map(\.description.target) == ["t4"])
    }

    @Test("Lists have the open ones first, the newest first, in pages")
    func pages() {
        var scene = BookScene()
        for number in 0..<9 {
            scene.pass(1_000)
            scene.fail("t\(number)", IncidentCause(.target, "t\(number)"), group: number % 2 == 0 ? "even" : nil)
            _ = scene.settle()
            if number % 3 == 0 { scene.recover("t\(number)") }
            _ = scene.settle()
        }
        var query = IncidentQuery()
        query.limit = 2
        var seen: [String] = []
        while true {
            let page = scene.book.page(query)
            #expect(page.openCount == 6)
            seen += page.incidents.map(\.description.target)
            guard let next = page.next else { break }
            query.after = next
        }
        #expect(seen == ["t8", "t7", "t5", "t4", "t2", "t1", "t6", "t3", "t0"])
        query = IncidentQuery()
        query.groups = ["even"]
        query.isOpen = true
        #expect(scene.book.page(query).incidents.map(\.description.target) == ["t8", "t4", "t2"])
        query = IncidentQuery()
        query.targets = ["t3", "none"]
        #expect(scene.book.page(query).incidents.map(\.description.target) == ["t3"])
        query = IncidentQuery()
        query.since = scene.now
        query.until = scene.now
        #expect(scene.book.page(query).incidents.map(\.description.target) == ["t7", "t5", "t4", "t2", "t1"])
    }

    @Test("What a store has goes on: open incidents with their targets, and everything else as it was")
    func restoring() throws {
        var scene = BookScene()
        scene.fail("web", refusal)
        scene.fail("db", refusal)
        scene.fail("web", uplink, .path, .unreachable)
        scene.fail("old", IncidentCause(.target, "old"))
        scene.recover("old")
        _ = scene.settle()
        let stored = try scene.book.stored.map { stored in
            let incident = try #require(Incident(stored: stored.incident.stored, number: stored.incident.number))
            return StoredIncident(incident, members: stored.members)
        }
        var next = BookScene()
        next.now = scene.now
        next.book.restore(stored)
        #expect(
            next.book.page(IncidentQuery()).incidents.map(\.title)
                == scene.book.page(IncidentQuery()).incidents.map(\.title)
        )
        #expect(next.book.tally.open == scene.book.tally.open)
        next.fail("web", uplink, .path, .unreachable)
        #expect(!next.book.isChanged, "it is a member already")
        next.fail("web", refusal)
        #expect(next.settle().map(\.action) == [.closed], "the uplink is refuted")
        next.recover("web")
        next.recover("db")
        #expect(next.settle().map(\.action) == [.closed])
        next.book.restore(stored)
        #expect(next.book.page(IncidentQuery()).incidents.count == 3, "what is there is not added again")
    }
}

/// A book with a clock that a test moves.
struct BookScene {
    var book: IncidentBook
    var now = Timestamp(milliseconds: 1_000_000)
    private var head: UInt64 = 0

    init(_ limits: IncidentLimits = IncidentLimits()) { book = IncidentBook(limits: limits) }

    mutating func pass(_ milliseconds: Int64) { now = Timestamp(milliseconds: now.milliseconds + milliseconds) }

    mutating func take(
        _ target: String,
        _ condition: IncidentObservation.Condition,
        group: String? = nil,
        isInferred: Bool? = nil,
        evidence: IncidentEvidence? = nil,
        nextHop: String? = nil,
        onset: FaultOnset? = nil,
        companions: [String] = []
    ) {
        book.take(
            IncidentObservation(
                target: target,
                name: target.prefix(1).uppercased() + target.dropFirst(),
                group: group,
                condition: condition,
                isInferred: isInferred,
                evidence: evidence,
                nextHop: nextHop.flatMap(IPAddress.init),
                onset: onset,
                at: now
            )
        ) { companions }
    }

    mutating func fail(
        _ target: String,
        _ cause: IncidentCause,
        _ distance: FaultDistance = .target,
        _ state: TargetState = .down,
        group: String? = nil,
        onset: FaultOnset? = nil
    ) {
        take(target, .failing(cause, distance, state), group: group, onset: onset)
    }

    mutating func fail(_ target: String, _ cause: IncidentCause, state: TargetState) {
        fail(target, cause, .target, state)
    }

    mutating func recover(_ target: String) { take(target, .up) }

    mutating func settle() -> [IncidentChange] {
        let changes = book.settle(epoch: "e", after: head)
        head += UInt64(changes.count)
        return changes
    }
}

extension FaultOnset {
    /// One of failures that began at 10.
    fileprivate init(workedAt: UInt64, failedAt: UInt64) {
        self.init(workedAt: workedAt, failedAt: failedAt, failingSince: 10)
    }
}
