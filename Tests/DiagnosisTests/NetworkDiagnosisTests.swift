// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Testing

@testable import Diagnosis

/// Three routers in a row. Behind the first is 10.1.0.0/24, behind the second 10.2.0.0/24, and behind the third are 10.3.0.0/24 and
/// 10.4.0.0/24. Times are seconds.
struct DiagnosisScene {
    static let routers = [
        RouteHop(1, [address("192.0.2.1")]), RouteHop(2, [address("10.9.1.2")]),
        RouteHop(3, [address("10.9.2.2")]),
    ]
    static let gateway = Gateway(address("192.0.2.1"))

    var diagnosis = NetworkDiagnosis()

    /// - Parameter isTraced: Whether one target of each network was traced.
    init(isTraced: Bool = true) {
        for id in [101, 102, 201, 202, 301, 302, 401, 402] as [UInt64] {
            _ = diagnosis.answered(id, Self.host(id), Self.gateway, at: 1)
            guard isTraced, id % 100 == 1 else { continue }
            let count = min(Int(id / 100), 3)
            _ = diagnosis.learn(id, Array(Self.routers.prefix(count)), at: 1)
        }
    }

    static func address(_ text: String) -> IPAddress { IPAddress(text) ?? IPAddress(ipv4: 0) }

    static func host(_ id: UInt64) -> IPAddress { address("10.\(id / 100).0.\(id % 100)") }

    /// Probes of targets that are silent.
    mutating func silent(_ ids: UInt64..., at start: UInt64) {
        for id in ids { diagnosis.silent(id, Self.host(id), Self.gateway, at: start) }
    }

    @discardableResult
    mutating func answered(_ ids: UInt64..., at start: UInt64) -> [UInt64] {
        ids.flatMap { diagnosis.answered($0, Self.host($0), Self.gateway, at: start) }
    }

    /// A trace that a number of routers answer.
    @discardableResult
    mutating func traced(_ id: UInt64, behind count: Int, at start: UInt64) -> (
        read: [UInt64], again: [UInt64]
    ) {
        diagnosis.traced(id, Array(Self.routers.prefix(count)), at: start)
    }

    mutating func report(
        _ report: RouterReport,
        of id: UInt64,
        by router: Int,
        at start: UInt64,
        isDown: Bool = false
    ) -> String {
        silent(id, at: start)
        let hop = Self.routers[router - 1]
        return Self.text(
            diagnosis.reported(
                report,
                id,
                by: hop.addresses[0],
                hop: hop.hop,
                from: start,
                at: start + 1,
                isDown: isDown,
                "report"
            )
            .reading
        )
    }

    mutating func reading(_ id: UInt64, at now: UInt64 = 100) -> String {
        Self.text(diagnosis.reading(of: id, at: now))
    }

    static func text(_ reading: SilenceReading) -> String {
        switch reading {
        case .host(let isProven): isProven ? "host, proven" : "host"
        case .own(let evidence): "own: \(evidence)"
        case .path(let fault):
            "\(fault.witness) behind \(fault.last.map { "\($0.hop)" } ?? "-")"
                + (fault.following.map { ", before \($0.hop)" } ?? "")
                + (fault.network.map { ", before \($0)" } ?? "") + (fault.evidence.map { ": \($0)" } ?? "")
        }
    }
}

@Suite("The diagnosis of all targets together")
struct NetworkDiagnosisTests {
    @Test("D5: a host that alone is silent is at fault, unproven until a neighbour answers; then D2")
    func host() {
        var scene = DiagnosisScene()
        scene.silent(301, at: 10)
        #expect(scene.reading(301) == "host")
        // Sent before the probe that was not answered.
        scene.answered(302, at: 9)
        #expect(scene.reading(301) == "host")
        scene.answered(302, at: 11)
        #expect(scene.reading(301) == "host, proven")
    }

    @Test(
        "D2: a trace that ends before the last router explains all targets behind it, of each network"
    )
    func trace() {
        var scene = DiagnosisScene()
        scene.silent(301, at: 10)
        #expect(scene.traced(301, behind: 1, at: 11).read == [301])
        scene.silent(302, 401, at: 12)
        for id in [301, 302, 401] as [UInt64] {
            #expect(scene.reading(id) == "trace behind 1, before 2")
        }
        // The network behind the second router, too.
        scene.silent(201, at: 13)
        #expect(scene.reading(201) == "trace behind 1, before 2")
        // One fault that explains all is less than two.
        scene.silent(101, at: 13)
        #expect(scene.reading(101) == "silence behind 1")
        scene.answered(102, at: 15)
        scene.silent(101, 301, at: 16)
        scene.answered(102, at: 17)
        #expect(
            scene.reading(101) == "host, proven" && scene.reading(301) == "trace behind 1, before 2"
        )
    }

    @Test("A trace that comes to the last router says nothing of the host, and proves the routers")
    func lastRouter() {
        var scene = DiagnosisScene()
        scene.silent(301, at: 10)
        scene.traced(301, behind: 3, at: 11)
        #expect(scene.reading(301) == "host")
        scene.silent(302, at: 10)
        #expect(scene.reading(302) == "silence behind 3, before 10.3.0.0/24")
    }

    @Test("D3: two hosts that are silent are one fault, as near to them as it explains both")
    func shared() {
        var scene = DiagnosisScene()
        scene.silent(301, 302, at: 10)
        #expect(scene.reading(301) == "silence behind 3, before 10.3.0.0/24")
        scene.silent(401, at: 10)
        #expect(scene.reading(401) == "silence behind 3", "the third router leads nothing on")
        #expect(scene.reading(301) == "silence behind 3")
        scene.silent(201, at: 10)
        #expect(scene.reading(201) == "silence behind 2")
        #expect(scene.reading(402) == "host", "it does not fail")
    }

    @Test(
        "D3 takes no host that fails since before the way was proven: a dead one and a new outage are two faults"
    )
    func old() {
        var scene = DiagnosisScene()
        scene.silent(301, at: 10)
        scene.answered(302, at: 20)
        scene.silent(302, at: 30)
        #expect(scene.reading(302) == "host")
        #expect(scene.reading(301) == "host", "a trace may show more of two silent hosts")
        scene.answered(302, at: 40)
        #expect(scene.reading(301) == "host, proven")
    }

    @Test("A trace during which the way changed, or that some routers did not answer, is no other route")
    func changedWhileTraced() {
        var scene = DiagnosisScene()
        func learn(_ hops: [(Int, String)], length: Int) {
            _ = scene.diagnosis.learn(
                302,
                hops.map { RouteHop($0.0, [DiagnosisScene.address($0.1)]) },
                length: length,
                at: 2
            )
        }
        learn([(1, "192.0.2.1"), (2, "10.9.1.2"), (3, "192.0.2.1"), (4, "10.9.1.2")], length: 5)
        learn([(2, "10.9.1.2"), (3, "192.0.2.1")], length: 4)
        learn([(1, "192.0.2.1"), (2, "10.9.1.2")], length: 4)
        scene.silent(301, 302, at: 10)
        #expect(scene.reading(302) == "silence behind 3, before 10.3.0.0/24")
        #expect(scene.diagnosis.distance(of: 302) == 4)
        // Another router is another route.
        learn([(1, "192.0.2.1"), (2, "10.9.7.7"), (3, "10.9.2.2")], length: 4)
        let elements = scene.diagnosis.elements(of: [302], isHost: false).elements
        #expect(elements.contains { $0.addresses == [DiagnosisScene.address("10.9.7.7")] })
    }

    @Test("The distance of a target whose routers answer no trace is that of its own response")
    func distance() {
        var scene = DiagnosisScene(isTraced: false)
        _ = scene.diagnosis.learn(301, Array(DiagnosisScene.routers.prefix(1)), length: 4, at: 2)
        #expect(scene.diagnosis.distance(of: 301) == 4 && scene.diagnosis.distance(of: 302) == 4)
        var other = DiagnosisScene(isTraced: false)
        other.diagnosis.restore(scene.diagnosis.routes(limit: 10))
        #expect(other.diagnosis.distance(of: 301) == 4)
    }

    @Test("A prefix in two places: silence in one is no silence in the other, whoever was traced")
    func places() {
        var scene = DiagnosisScene()
        let elsewhere = [DiagnosisScene.routers[0], RouteHop(2, [DiagnosisScene.address("10.9.8.8")])]
        for id in [303, 304, 305] as [UInt64] { scene.answered(id, at: 2) }
        // The newest trace of the prefix: targets without a trace of their own are taken to be there, too.
        _ = scene.diagnosis.learn(304, elsewhere, at: 3)
        scene.silent(301, 302, at: 10)
        scene.answered(303, 304, at: 11)
        // 302 was not traced, others that are taken to be at its place respond: a trace shows where it is.
        #expect(scene.reading(302) == "host")
        scene.traced(302, behind: 3, at: 12)
        #expect(scene.reading(302) == "silence behind 3, before 10.3.0.0/24")
        #expect(scene.reading(301) == "silence behind 3, before 10.3.0.0/24")
        scene.answered(303, at: 20)
        #expect(scene.reading(301) == "silence behind 3, before 10.3.0.0/24", "303 may be elsewhere")
        scene.silent(305, at: 21)
        #expect(scene.reading(305) == "silence behind 3, before 10.3.0.0/24", "it may be behind what is broken")
        scene.answered(301, at: 30)
        #expect(scene.reading(302) != "silence behind 3, before 10.3.0.0/24")
    }

    @Test("Hosts behind a router that answers no trace are in another place than the others of their prefix")
    func silentPlaces() {
        // Their distance shows it.
        var scene = DiagnosisScene()
        let routers = DiagnosisScene.routers
        scene.answered(303, 304, at: 2)
        for id in [301, 302] as [UInt64] { _ = scene.diagnosis.learn(id, routers, length: 4, at: 3) }
        for id in [303, 304] as [UInt64] { _ = scene.diagnosis.learn(id, routers, length: 5, at: 4) }
        scene.silent(301, 302, at: 10)
        scene.answered(303, 304, at: 11)
        #expect(scene.reading(301) == "silence behind 3, before 10.3.0.0/24")
        scene.answered(301, at: 20)
        scene.silent(302, at: 21)
        scene.answered(301, at: 22)
        #expect(scene.reading(302) == "host, proven")
        // At the same distance, a trace that the known router did not answer does not show where the target is.
        for isComplete in [true, false] {
            var other = DiagnosisScene()
            other.answered(303, at: 2)
            _ = other.diagnosis.learn(301, routers, length: 4, at: 3)
            _ = other.diagnosis.learn(303, isComplete ? routers : Array(routers.prefix(2)), length: 4, at: 4)
            other.silent(301, 302, at: 10)
            other.traced(301, behind: 2, at: 11)
            #expect(other.answered(303, at: 20).contains(301))
            #expect((other.reading(301) == "trace behind 2, before 3") == !isComplete)
        }
    }

    @Test("Packets that circulate come to the routers of the loop: these did not work for them")
    func loopOnset() {
        var scene = DiagnosisScene()
        scene.answered(301, 302, 401, at: 5)
        scene.silent(301, 302, at: 10)
        let routers = DiagnosisScene.routers
        let loop = routers + [RouteHop(4, routers[1].addresses), RouteHop(5, routers[2].addresses)]
        _ = scene.diagnosis.traced(301, loop, at: 12, loop: "loop")
        scene.traced(302, behind: 3, at: 13)
        #expect(scene.reading(302).hasSuffix(": loop"))
        let onset = scene.diagnosis.onset(of: 301, behind: routers[1].addresses[0])
        #expect(onset == FaultOnset(workedAt: 5, failedAt: 10, failingSince: 10))
    }

    @Test("Where a trace ends before a router that others pass, the way to this network is broken")
    func routeOfOneNetwork() {
        var scene = DiagnosisScene()
        scene.silent(301, at: 10)
        scene.answered(401, at: 11)
        scene.traced(301, behind: 2, at: 12)
        #expect(scene.reading(301) == "trace behind 2, before 10.3.0.0/24")
        scene.answered(401, at: 20)
        #expect(scene.reading(301) == "trace behind 2, before 10.3.0.0/24")
        scene.answered(301, at: 30)
        scene.silent(302, at: 31)
        #expect(scene.reading(302) == "host")
    }

    @Test(
        "The same while the router answered others' traces just before; not while it reports, and so spends its errors"
    )
    func rationedRoute() {
        for isReporting in [false, true] {
            var scene = DiagnosisScene()
            let second: UInt64 = 1_000_000_000
            scene.traced(401, behind: 3, at: 10 * second)
            if isReporting {
                _ = scene.report(.noRoute, of: 402, by: 3, at: 11 * second)
                scene.answered(402, at: 12 * second)
            }
            scene.silent(301, at: 20 * second)
            scene.answered(401, at: 21 * second)
            scene.traced(301, behind: 2, at: 22 * second)
            let expected = isReporting ? "host" : "trace behind 2, before 10.3.0.0/24"
            #expect(scene.reading(301, at: 25 * second) == expected)
        }
    }

    @Test("Where the router that others pass spends its errors, a silent one behind it shows that it does not lead on")
    func rationedRouter() {
        let second: UInt64 = 1_000_000_000
        for isFartherRationed in [false, true] {
            var scene = DiagnosisScene()
            let routers = DiagnosisScene.routers + [RouteHop(4, [DiagnosisScene.address("10.9.3.2")])]
            for id in [301, 302] as [UInt64] { _ = scene.diagnosis.learn(id, routers, length: 5, at: 3) }
            scene.silent(301, 302, at: 20 * second)
            scene.answered(401, at: 21 * second)
            for place in isFartherRationed ? [2, 3] : [2] {
                let router = routers[place].addresses[0]
                scene.diagnosis.heard(router, of: 301, from: 21 * second, until: 21 * second)
            }
            scene.traced(301, behind: 2, at: 22 * second)
            let expected = isFartherRationed ? "silence behind 4, before 10.3.0.0/24" : "trace behind 3, before 4"
            #expect(scene.reading(301, at: 25 * second) == expected)
        }
    }

    @Test("The targets behind a fault that were not asked since it began are asked, once")
    func unasked() {
        var scene = DiagnosisScene()
        scene.silent(301, at: 10)
        func unasked(isConfirmed: Bool = false, at now: UInt64) -> [UInt64] {
            scene.diagnosis.unasked(behind: 301, isConfirmed: isConfirmed, at: now)
        }
        #expect(unasked(isConfirmed: true, at: 11).isEmpty)
        scene.traced(301, behind: 1, at: 11)
        #expect(unasked(at: 13) == [201, 202, 302, 401, 402])
        #expect(unasked(at: 14).isEmpty && unasked(isConfirmed: true, at: 15).isEmpty)
        // A router may report one network alone: once others answer, that is over.
        scene.answered(301, 302, at: 20)
        _ = scene.report(.noRoute, of: 301, by: 2, at: 30)
        #expect(unasked(at: 31).isEmpty)
        #expect(unasked(isConfirmed: true, at: 40) == [302, 401, 402])
    }

    @Test("Connections that stall count like silent probes, until the next response")
    func stalls() {
        var scene = DiagnosisScene()
        for start in [10, 11] as [UInt64] {
            let (host, gateway) = (DiagnosisScene.host(301), DiagnosisScene.gateway)
            _ = scene.diagnosis.answered(301, host, gateway, at: start, isStalled: true)
        }
        #expect(scene.diagnosis.failuresAndStalls(of: 301) == 2 && scene.diagnosis.failures(of: 301) == 0)
        scene.silent(301, at: 12)
        #expect(scene.diagnosis.failuresAndStalls(of: 301) == 3)
        scene.answered(301, at: 13)
        #expect(scene.diagnosis.failuresAndStalls(of: 301) == 0)
    }

    @Test("Services of one host are one host")
    func services() {
        var scene = DiagnosisScene()
        for id in 0..<5 as Range<UInt64> {
            scene.diagnosis.silent(1_000 + id, DiagnosisScene.host(309), DiagnosisScene.gateway, at: 10)
        }
        #expect(scene.reading(1_000) == "host")
        _ = scene.diagnosis.answered(1_004, DiagnosisScene.host(309), DiagnosisScene.gateway, at: 12)
        #expect(scene.reading(1_000) == "host, proven")
    }

    @Test(
        "A packet that passes ends a fault, and its targets are asked again; their failures begin anew"
    )
    func end() {
        var scene = DiagnosisScene()
        scene.silent(301, 302, 401, at: 10)
        scene.traced(301, behind: 1, at: 11)
        #expect(scene.answered(101, at: 20).isEmpty, "it lies before the fault")
        #expect(scene.reading(301) == "trace behind 1, before 2")
        #expect(scene.answered(402, at: 10).isEmpty, "sent before the trace")
        #expect(scene.answered(401, at: 21) == [301, 302])
        #expect(scene.diagnosis.failures(of: 301) == 0)
        scene.silent(301, at: 22)
        #expect(scene.diagnosis.failures(of: 301) == 1 && scene.reading(301) == "host")
        #expect(scene.diagnosis.isOver(301, since: 20) && !scene.diagnosis.isOver(301, since: 21))
    }

    @Test("A target whose way only a neighbour's trace showed ends no fault of it: one that was traced is asked")
    func borrowedWay() {
        var scene = DiagnosisScene()
        scene.silent(301, 401, at: 10)
        scene.traced(301, behind: 1, at: 11)
        let asked = scene.answered(402, at: 20)
        #expect(asked == [301] || asked == [401])
        #expect(scene.reading(301) == "trace behind 1, before 2")
        #expect(scene.answered(402, at: 20).isEmpty, "it was asked")
        scene.silent(302, at: 21)
        #expect(scene.answered(302, at: 22) == [301, 401], "it was silent, and is back")
    }

    @Test("What a packet passed does not explain a target that stays silent, however often it is asked")
    func exonerated() {
        var scene = DiagnosisScene()
        #expect(scene.report(.noRoute, of: 301, by: 1, at: 10) == "report behind 1, before 2: report")
        #expect(scene.answered(201, at: 11) == [301])
        #expect(scene.report(.noRoute, of: 301, by: 1, at: 12) == "report behind 2, before 3: report")
        #expect(scene.answered(401, at: 13) == [301])
        #expect(scene.report(.noRoute, of: 301, by: 1, at: 14) == "report behind 3, before 10.3.0.0/24: report")
        scene.silent(302, at: 14)
        #expect(scene.answered(302, at: 15) == [301])
        #expect(scene.report(.noRoute, of: 301, by: 1, at: 16) == "own: report")
        #expect(scene.answered(302, at: 17).isEmpty)
    }

    @Test(
        "W6: 'host unreachable' of the last router is the host's, of a router before it the next router's"
    )
    func noHost() {
        var scene = DiagnosisScene()
        #expect(scene.report(.noHost, of: 301, by: 3, at: 10) == "host, proven")
        #expect(
            scene.report(.noHost, of: 302, by: 3, at: 10)
                == "report behind 3, before 10.3.0.0/24: report",
            "all of them"
        )
        var other = DiagnosisScene()
        #expect(other.report(.noHost, of: 301, by: 2, at: 10) == "report behind 2, before 3: report")
        other.silent(401, at: 10)
        #expect(
            other.reading(401) == "report behind 2, before 3: report",
            "its own report was rationed"
        )
        var unknown = DiagnosisScene(isTraced: false)
        #expect(
            unknown.report(.noHost, of: 301, by: 1, at: 10) == "host, proven",
            "the gateway may be the only router"
        )
    }

    @Test(
        "A router without a route is at fault for what is behind it, and silence there needs no report of its own"
    )
    func noRoute() {
        var scene = DiagnosisScene()
        #expect(scene.report(.noRoute, of: 301, by: 2, at: 10) == "report behind 2, before 3: report")
        scene.silent(302, 402, at: 11)
        for id in [302, 402] as [UInt64] {
            #expect(scene.reading(id) == "report behind 2, before 3: report")
        }
        // The other network answers: only the route to this one is missing.
        #expect(scene.answered(402, at: 20) == [301, 302])
        scene.silent(301, at: 21)
        scene.answered(401, at: 23)
        #expect(
            scene.report(.noRoute, of: 301, by: 2, at: 24)
                == "report behind 3, before 10.3.0.0/24: report"
        )
        scene.answered(401, at: 30)
        scene.silent(302, at: 31)
        #expect(scene.reading(302) == "report behind 3, before 10.3.0.0/24: report")
    }

    @Test(
        "A firewall's report concerns its target alone, for a minute, and not another one's silence"
    )
    func prohibited() {
        var scene = DiagnosisScene()
        #expect(scene.report(.prohibited, of: 301, by: 2, at: 10) == "own: report")
        #expect(scene.reading(301, at: 11 + NetworkDiagnosis.reportAge) == "own: report")
        #expect(scene.reading(301, at: 12 + NetworkDiagnosis.reportAge) == "host")
        scene.silent(302, at: 9)
        #expect(scene.reading(302) != "own: report")
        scene.answered(301, at: 20)
        #expect(scene.diagnosis.note(of: 301, at: 21) == nil)
    }

    @Test("A loop goes on behind a router that later packets come to, and is not found a second time nearer")
    func movedLoop() {
        var scene = DiagnosisScene()
        // Both routers of the loop answer; the first report comes from the nearer one.
        #expect(scene.report(.loop, of: 301, by: 2, at: 10) == "report behind 2: report")
        scene.traced(301, behind: 3, at: 11)
        scene.silent(301, 302, at: 12)
        #expect(scene.reading(301) == "report behind 3: report")
        #expect(scene.report(.loop, of: 402, by: 2, at: 13) == "report behind 3: report")
        #expect(scene.reading(402) == "report behind 3: report")
    }

    @Test("A loop that is reported during a trace explains what failed before the trace")
    func loopDuringTrace() {
        var scene = DiagnosisScene()
        scene.silent(301, 401, at: 10)
        #expect(scene.report(.loop, of: 302, by: 2, at: 13) == "report behind 2: report")
        _ = scene.diagnosis.traced(401, DiagnosisScene.routers, at: 11, until: 15)
        #expect(scene.reading(301).hasSuffix(": report"))
        #expect(scene.reading(401).hasSuffix(": report"))
        scene.answered(302, at: 20)
        #expect(!scene.reading(301).hasPrefix("report"))
    }

    @Test("A loop that is noted of one target alone worked when packets last came to the target's network")
    func loopOfOneTarget() {
        var scene = DiagnosisScene()
        scene.silent(301, at: 10)
        scene.answered(401, at: 12)
        let router = DiagnosisScene.routers[1].addresses[0]
        #expect(scene.diagnosis.onset(of: 301, behind: router)?.workedAt == 12)
        #expect(scene.diagnosis.onset(of: 301, behind: router, isLoop: true)?.workedAt == 1)
    }

    @Test("A router that reports by another address than traces show worked when packets passed it last")
    func onsetOfOtherAddress() {
        var scene = DiagnosisScene()
        scene.answered(401, at: 12)
        scene.silent(402, at: 13)
        let router = DiagnosisScene.address("10.9.9.9")
        _ = scene.diagnosis.reported(.loop, 402, by: router, hop: 2, from: 13, at: 13, "report")
        let onset = scene.diagnosis.onset(of: 402, behind: router, isLoop: true)
        #expect(onset == FaultOnset(workedAt: 12, failedAt: 13, failingSince: 13))
    }

    @Test("A loop is reported behind the place where targets were found to be silent")
    func loopAfterSilence() {
        var scene = DiagnosisScene()
        scene.silent(301, 401, at: 10)
        scene.traced(301, behind: 3, at: 11)
        #expect(scene.reading(301) == "silence behind 3")
        #expect(scene.report(.loop, of: 302, by: 2, at: 13) == "report behind 3: report")
        #expect(scene.reading(401) == "report behind 3: report")
    }

    @Test("D5: hosts that are silent now and then show loss on the way; many failures of one in a row do not")
    func loss() {
        var scene = DiagnosisScene()
        for time in stride(from: 10, to: 26, by: 4) as StrideTo<UInt64> {
            scene.silent(302, at: time)
            scene.answered(302, 401, at: time + 1)
            scene.silent(401, at: time + 2)
            scene.answered(401, at: time + 3)
        }
        var readings: [String] = []
        for time in stride(from: 30, to: 90, by: 2) as StrideTo<UInt64> {
            scene.silent(301, 302, 401, at: time)
            scene.answered(302, 401, at: time + 1)
            readings.append(scene.reading(301))
        }
        #expect(readings.prefix(8).allSatisfy { $0 == "loss behind 3" }, "\(readings)")
        #expect(readings.last == "host, proven")
    }

    @Test("Loss is behind the router nearest to this machine behind which most hosts lose packets")
    func widerLoss() {
        var scene = DiagnosisScene()
        for time in stride(from: 10, to: 30, by: 4) as StrideTo<UInt64> {
            scene.silent(201, 202, 301, 401, at: time)
            scene.answered(201, 202, 401, at: time + 1)
            scene.answered(101, 102, at: time + 2)
        }
        #expect(scene.reading(301) == "loss behind 2")
    }

    @Test("Single results that are lost elsewhere do not move the loss of a router to the one before it")
    func lossBesideBusyMachine() {
        var scene = DiagnosisScene()
        scene.silent(101, 102, 201, 202, at: 2)
        scene.answered(101, 102, 201, 202, at: 3)
        for time in stride(from: 10, to: 34, by: 4) as StrideTo<UInt64> {
            scene.silent(302, 401, 402, at: time)
            scene.answered(101, 102, 201, 202, 302, 401, 402, at: time + 1)
        }
        scene.silent(301, at: 34)
        scene.answered(302, 401, at: 35)
        #expect(scene.reading(301) == "loss behind 3")
    }

    @Test("Loss of two branches is behind the router that they share, of one behind its own", arguments: [true, false])
    func loss(ofBoth isShared: Bool) {
        var scene = DiagnosisScene()
        scene.diagnosis = NetworkDiagnosis()
        let branches = (5...6).map { branch in (1...90).map { UInt64(branch * 100 + $0) } }
        for (hosts, router) in zip(branches, ["10.9.1.2", "10.9.9.2"]) {
            for host in hosts { scene.answered(host, at: 1) }
            let route = [DiagnosisScene.routers[0], RouteHop(2, [DiagnosisScene.address(router)])]
            for host in hosts { _ = scene.diagnosis.learn(host, route, at: 1) }
        }
        for host in isShared ? branches[0] + branches[1] : branches[1] { scene.silent(host, at: 10) }
        for host in branches[0] + branches[1] where host != 601 { scene.answered(host, at: 12) }
        #expect(scene.reading(601) == (isShared ? "loss behind 1" : "loss behind 2"))
    }

    @Test("Loss that is known explains later silence behind its router while packets pass there")
    func knownLoss() {
        func scene(lossy: Bool) -> DiagnosisScene {
            var scene = DiagnosisScene()
            for time in stride(from: 10, to: 30, by: 4) as StrideTo<UInt64> {
                if lossy { scene.silent(201, 202, 301, 401, at: time) }
                scene.answered(201, 202, 401, at: time + 1)
                scene.answered(101, 102, at: time + 2)
            }
            if lossy { #expect(scene.reading(301) == "loss behind 2") }
            scene.silent(401, 402, at: 40)
            return scene
        }
        var known = scene(lossy: true)
        // No packet passes: it may be an outage.
        #expect(known.reading(402) == "silence behind 3, before 10.4.0.0/24")
        known.answered(202, at: 41)
        #expect(known.reading(402) == "loss behind 2")
        known.traced(402, behind: 2, at: 42)
        #expect(known.reading(402) == "loss behind 2")
        #expect(known.report(.noRoute, of: 402, by: 2, at: 43).hasPrefix("report"))
        #expect(known.reading(402).hasPrefix("report"))
        var unknown = scene(lossy: false)
        unknown.answered(202, at: 41)
        #expect(unknown.reading(402) == "silence behind 3, before 10.4.0.0/24")
        // The hosts lose no more packets.
        var over = scene(lossy: true)
        over.answered(401, 402, at: 41)
        for time in 42...60 as ClosedRange<UInt64> { over.answered(101, 102, 201, 202, 401, 402, at: time) }
        over.answered(301, 302, at: 60)
        over.silent(301, 302, at: 70)
        over.answered(202, at: 71)
        #expect(over.reading(302) == "silence behind 3, before 10.3.0.0/24")
    }

    @Test("Hosts that were silent for an outage, or just fell silent, show no loss")
    func noLoss() {
        var scene = DiagnosisScene()
        for time in 10...13 as ClosedRange<UInt64> { scene.silent(302, 401, 402, at: time) }
        #expect(scene.reading(302) == "silence behind 3")
        scene.answered(401, at: 20)
        scene.answered(302, 402, at: 20)
        scene.silent(301, at: 21)
        scene.answered(302, at: 22)
        #expect(scene.reading(301) == "host, proven")
        scene.silent(401, 402, at: 23)
        #expect(scene.reading(301) == "host, proven")
    }

    @Test(
        "After an outage of many hosts, one that is dead is no loss, however few probes of each failed",
        arguments: 1...7
    )
    func lossAfterOutage(failures: Int) {
        var scene = DiagnosisScene()
        let hosts: [UInt64] = [301, 302, 303, 304, 305, 306, 401, 402, 403, 404, 405, 406]
        for host in hosts { scene.answered(host, at: 2) }
        for time in 0..<UInt64(failures) {
            for host in hosts { scene.silent(host, at: 10 + time) }
            #expect(scene.reading(302).hasPrefix("silence"))
        }
        // The first response of each network ends the fault there.
        for host in hosts where host != 302 && host != 402 { scene.answered(host, at: 20) }
        for time in 21...40 as ClosedRange<UInt64> {
            scene.silent(302, 402, at: time)
            scene.answered(301, 401, at: time)
            #expect(scene.reading(302) == "host, proven" && scene.reading(402) == "host, proven", "\(time)")
        }
    }

    @Test("Routers of equal paths take turns: another one takes over after three consecutive reports")
    func takeover() {
        var scene = DiagnosisScene()
        func note(_ evidence: String, by reporter: String) -> String? {
            scene.diagnosis.note(evidence, of: 301, by: DiagnosisScene.address(reporter), until: 100) as? String
        }
        #expect(note("a", by: "10.9.1.2") == "a")
        for _ in 0..<3 {
            #expect(
                note("b", by: "10.9.1.3") == "a" && note("b", by: "10.9.1.3") == "a"
                    && note("a", by: "10.9.1.2") == "a"
            )
        }
        #expect(
            note("b", by: "10.9.1.3") == "a" && note("b", by: "10.9.1.3") == "a"
                && note("b", by: "10.9.1.3") == "b"
        )
    }

    @Test("W13: where not even the gateway answers a trace, as it did before, packets are dropped at once")
    func dropped() {
        let second: UInt64 = 1_000_000_000
        func scene() -> DiagnosisScene {
            var scene = DiagnosisScene()
            scene.silent(301, 302, 101, at: 10 * second)
            return scene
        }
        func trace(_ scene: inout DiagnosisScene, _ routers: Int, at start: UInt64) {
            _ = scene.diagnosis.traced(301, Array(DiagnosisScene.routers.prefix(routers)), at: start, drop: "dropped")
        }
        var all = scene()
        trace(&all, 0, at: 11 * second)
        for id in [301, 302, 101] as [UInt64] { #expect(all.reading(id) == "trace behind 1: dropped") }
        var other = all
        trace(&other, 1, at: 12 * second)
        #expect(other.reading(301) != "trace behind 1: dropped", "the gateway answers")
        var traced = all
        let again = traced.diagnosis.learn(201, Array(DiagnosisScene.routers.prefix(2)), at: 20 * second)
        #expect(again == [101, 301, 302], "a trace passes the gateway")
        #expect(all.answered(201, at: 20 * second) == [101, 301, 302])
        // Others pass the gateway: only some packets are dropped.
        var some = scene()
        some.answered(201, at: 10 * second)
        trace(&some, 0, at: 11 * second)
        #expect(some.reading(301) == "own: dropped" && some.reading(302) == "own: dropped")
        trace(&some, 3, at: 13 * second)
        #expect(some.reading(301) != "own: dropped", "routers answer")
        var soon = scene()
        let gateway = Array(DiagnosisScene.routers.prefix(1))
        _ = soon.diagnosis.traced(101, gateway, at: 10 * second, until: 12 * second)
        trace(&soon, 0, at: 11 * second)
        #expect(soon.reading(301) != "trace behind 1: dropped", "the gateway answered another trace at that time")
        // A router that rations its errors had none left: it sent one for another packet at that time.
        var rationed = scene()
        rationed.answered(201, at: 10 * second)
        trace(&rationed, 0, at: 11 * second)
        #expect(rationed.reading(301) == "own: dropped")
        let router = DiagnosisScene.address("192.0.2.1")
        rationed.diagnosis.heard(router, of: 101, from: 12 * second, until: 12 * second)
        #expect(rationed.reading(301) != "own: dropped" && rationed.reading(302) != "own: dropped")
        var busy = scene()
        trace(&busy, 0, at: 11 * second)
        busy.diagnosis.heard(router, of: 101, from: 14 * second, until: 14 * second)
        #expect(busy.reading(301) == "trace behind 1: dropped", "after the trace")
        busy.diagnosis.heard(router, of: 101, from: 12 * second, until: 12 * second)
        #expect(busy.reading(301) != "trace behind 1: dropped" && busy.reading(101) != "trace behind 1: dropped")
        rationed.diagnosis.heard(router, of: 101, from: 16 * second, until: 16 * second)
        trace(&rationed, 0, at: 15 * second)
        #expect(rationed.reading(301) != "own: dropped", "it sent an error during the trace")
        trace(&rationed, 0, at: 17 * second)
        rationed.diagnosis.heard(router, of: 101, from: 20 * second, until: 20 * second)
        #expect(rationed.reading(301) == "own: dropped")
    }

    @Test("W4: without known routes, traces of the outage show where several networks end together")
    func unknownRoutes() {
        var scene = DiagnosisScene(isTraced: false)
        scene.silent(301, 302, 401, at: 10)
        scene.traced(301, behind: 2, at: 11)
        #expect(scene.reading(302) == "silence behind 2, before 10.3.0.0/24")
        scene.traced(401, behind: 2, at: 11)
        #expect(scene.reading(401) == "silence behind 2")
        var alone = DiagnosisScene(isTraced: false)
        alone.silent(301, at: 10)
        alone.traced(301, behind: 2, at: 11)
        #expect(alone.reading(301) == "host", "the second router may be the last one")
    }

    @Test("A trace that lacks a router's answer shows the same way as one that has it", arguments: [false, true])
    func gaps(isLast: Bool) {
        var scene = DiagnosisScene(isTraced: false)
        let full = DiagnosisScene.routers
        let short = [full[0], full[2]]
        _ = scene.diagnosis.learn(301, isLast ? full : short, at: 2)
        _ = scene.diagnosis.learn(401, isLast ? short : full, at: 2)
        scene.silent(301, 401, at: 10)
        #expect(scene.reading(301) == "silence behind 3")
        scene.traced(301, behind: 2, at: 11)
        #expect(scene.reading(301) == "trace behind 2, before 3" && scene.reading(401) == "trace behind 2, before 3")
        for id in [101, 102, 201, 202, 301, 302, 401, 402] as [UInt64] { scene.diagnosis.remove(id) }
        #expect(scene.diagnosis.nodeCount == 0)
    }

    @Test("A report of a router that no trace shows is placed by its distance")
    func unknownReporter() {
        var scene = DiagnosisScene()
        scene.silent(301, at: 10)
        let reporter = DiagnosisScene.address("10.9.9.9")
        let (reading, _) = scene.diagnosis.reported(.noHost, 301, by: reporter, hop: 2, from: 10, at: 11, "report")
        #expect(DiagnosisScene.text(reading) == "report behind 2, before 3: report")
    }

    @Test("A target that is down by itself is not explained by a later fault; one that is not yet, is")
    func later() {
        var scene = DiagnosisScene()
        scene.silent(301, at: 10)
        scene.answered(302, at: 12)
        scene.silent(302, at: 20)
        scene.traced(302, behind: 1, at: 21)
        scene.silent(301, at: 22)
        #expect(DiagnosisScene.text(scene.diagnosis.reading(of: 301, at: 23, isDown: true)) == "host, proven")
        #expect(scene.reading(301) == "trace behind 1, before 2")
    }

    @Test("A target that was down before anything is known of it was down until it answers, others were not")
    func downBefore() {
        var scene = DiagnosisScene()
        scene.diagnosis.silent(301, DiagnosisScene.host(301), DiagnosisScene.gateway, at: 10, wasDown: true)
        scene.silent(302, at: 10)
        scene.silent(301, at: 12)
        #expect(scene.diagnosis.wasDown(301) && !scene.diagnosis.wasDown(302))
        scene.answered(301, at: 14)
        #expect(!scene.diagnosis.wasDown(301))
        scene.silent(301, at: 16)
        #expect(!scene.diagnosis.wasDown(301))
    }

    @Test("A target that is down by itself stays so when a router that led on after that has no route any more")
    func laterReport() {
        var scene = DiagnosisScene()
        scene.silent(301, at: 10)
        scene.traced(301, behind: 3, at: 11)
        #expect(scene.report(.noRoute, of: 301, by: 2, at: 20, isDown: true) == "host, proven")
        #expect(scene.report(.noRoute, of: 401, by: 2, at: 21) == "report behind 2, before 3: report")
        #expect(DiagnosisScene.text(scene.diagnosis.reading(of: 301, at: 22, isDown: true)) == "host, proven")
        // One that fell silent with the others is explained, also when it is down already.
        scene.silent(201, at: 23)
        #expect(scene.report(.noRoute, of: 201, by: 1, at: 24, isDown: true) == "report behind 1, before 2: report")
    }

    @Test("A trace that passes the router that had no route ends its report")
    func routeIsBack() {
        var scene = DiagnosisScene()
        scene.silent(401, at: 5)
        scene.traced(401, behind: 3, at: 6)
        #expect(scene.report(.noRoute, of: 401, by: 1, at: 10) == "report behind 3, before 10.4.0.0/24: report")
        #expect(scene.traced(401, behind: 1, at: 20).again.isEmpty, "it came as far as the report")
        #expect(scene.traced(401, behind: 3, at: 21).again == [401])
        scene.silent(401, at: 22)
        #expect(scene.reading(401) == "host")
    }

    @Test(
        "A report, and silence behind the same router, are one fault, whichever comes first",
        arguments: [false, true]
    )
    func reportAmongSilence(isLate: Bool) {
        var scene = DiagnosisScene()
        if isLate {
            scene.traced(301, behind: 2, at: 9)
            scene.silent(201, 301, at: 10)
            #expect(scene.reading(201) == "silence behind 2")
        }
        #expect(scene.report(.noRoute, of: 302, by: 2, at: 11).hasPrefix("report behind 2"))
        scene.silent(201, 301, at: 12)
        scene.silent(202, at: 12)
        for id in [201, 202, 301, 302] as [UInt64] { #expect(scene.reading(id).hasPrefix("report behind 2")) }
    }

    @Test("A report of a packet that was sent before another one passed is no fault")
    func lateReport() {
        var scene = DiagnosisScene()
        scene.silent(301, at: 10)
        scene.answered(401, at: 12)
        #expect(scene.report(.noRoute, of: 302, by: 2, at: 11) == "report behind 3, before 10.3.0.0/24: report")
        scene.answered(302, at: 14)
        #expect(scene.report(.noRoute, of: 301, by: 2, at: 13) == "own: report")
        scene.silent(302, at: 15)
        #expect(scene.reading(302) == "host")
    }

    @Test("A target whose probe is suspended no longer counts as silent")
    func suspended() {
        var scene = DiagnosisScene()
        scene.silent(302, at: 10)
        scene.diagnosis.rest(302)
        scene.silent(301, at: 11)
        #expect(scene.reading(301) == "host" && scene.reading(302) == "host")
    }

    @Test("A stored route whose distances do not grow is no way in circles")
    func disorder() {
        var scene = DiagnosisScene(isTraced: false)
        let second = DiagnosisScene.routers[1]
        let routers = [RouteHop(5, DiagnosisScene.routers[2].addresses), second, RouteHop(6, second.addresses), second]
        let prefix = IPPrefix(DiagnosisScene.host(301), length: 24)
        let route = StoredRoute(gateway: DiagnosisScene.gateway, prefix: prefix, hops: routers, seenAt: 1)
        let other = StoredRoute(gateway: DiagnosisScene.gateway, prefix: prefix, hops: routers.reversed(), seenAt: 2)
        scene.diagnosis.restore([route])
        scene.silent(301, 302, at: 10)
        #expect(scene.reading(301) == "silence behind 6, before 10.3.0.0/24")
        scene.diagnosis.restore([other])
        _ = scene.diagnosis.learn(301, routers.reversed(), at: 20)
        _ = scene.diagnosis.learn(302, DiagnosisScene.routers, at: 20)
        scene.silent(301, 302, at: 30)
        #expect(scene.reading(301) != "")
    }

    @Test(
        "Routers ration their answers: one that answered another trace just before or after is not broken; later it is"
    )
    func rationed() {
        var scene = DiagnosisScene()
        scene.silent(301, 401, at: 10)
        scene.traced(401, behind: 2, at: 11)
        scene.traced(301, behind: 1, at: 12)
        #expect(scene.reading(301) == "trace behind 2, before 3")
        var other = DiagnosisScene()
        other.silent(301, 401, at: 10)
        other.traced(301, behind: 1, at: 11)
        #expect(other.reading(401) == "trace behind 1, before 2")
        other.traced(401, behind: 2, at: 12)
        #expect(other.reading(301) == "trace behind 2, before 3")
        // One that reported something else just before may have had to wait.
        var busy = DiagnosisScene()
        busy.silent(301, at: 10)
        busy.diagnosis.heard(DiagnosisScene.address("10.9.1.2"), of: 401, from: 9, until: 9)
        busy.traced(301, behind: 1, at: 11)
        #expect(busy.reading(301) == "host")
        let later = 12 + NetworkDiagnosis.rationing
        scene.silent(301, at: later - 1)
        scene.traced(301, behind: 1, at: later)
        #expect(scene.reading(301, at: later) == "trace behind 1, before 2")
    }

    @Test(
        "Siblings: for each element of the way one that leaves it there, once, none that fails or was asked since"
    )
    func siblings() {
        var scene = DiagnosisScene()
        scene.silent(301, at: 10)
        let first = scene.diagnosis.siblings(of: 301, at: 11)
        #expect(
            first.count == 4 && first[0] == 302 && first[1] / 100 == 4 && first[2] / 100 == 2
                && first[3] / 100 == 1
        )
        #expect(scene.diagnosis.siblings(of: 301, at: 11).isEmpty)
        scene.silent(302, at: 12)
        #expect(scene.diagnosis.siblings(of: 302, at: 13).allSatisfy { $0 != 301 })
    }

    @Test("A router that is a target, too, is not behind itself")
    func router() {
        var scene = DiagnosisScene()
        let second = DiagnosisScene.address("10.9.1.2")
        _ = scene.diagnosis.answered(7, second, DiagnosisScene.gateway, at: 1)
        _ = scene.diagnosis.learn(7, DiagnosisScene.routers, at: 1)
        scene.silent(301, 302, at: 10)
        _ = scene.diagnosis.answered(7, second, DiagnosisScene.gateway, at: 20)
        #expect(scene.reading(301) == "silence behind 3, before 10.3.0.0/24")
    }

    @Test("Nothing is left of targets that are gone, or that take another gateway")
    func gone() {
        var scene = DiagnosisScene()
        scene.silent(301, 302, 401, at: 10)
        scene.traced(301, behind: 1, at: 11)
        let other = Gateway(DiagnosisScene.address("192.0.2.254"))
        _ = scene.diagnosis.answered(301, DiagnosisScene.host(301), other, at: 12)
        #expect(scene.reading(301) == "host" && scene.diagnosis.failures(of: 301) == 0)
        for id in [101, 102, 201, 202, 301, 302, 401, 402] as [UInt64] { scene.diagnosis.remove(id) }
        #expect(scene.diagnosis.nodeCount == 0 && scene.diagnosis.targets.isEmpty)
    }

    @Test("A forged route of 255 hops, a loop in it, and addresses without end keep within bounds")
    func bounds() {
        var scene = DiagnosisScene()
        let long = (1...255).map { RouteHop($0, [IPAddress(ipv4: UInt32(0x0A00_0000 + $0))]) }
        _ = scene.diagnosis.learn(301, long, at: 20)
        let repeated = (1...64).map {
            RouteHop($0, [DiagnosisScene.address($0.isMultiple(of: 2) ? "10.9.1.2" : "10.9.2.2")])
        }
        for round in 0..<1_000 as Range<UInt64> {
            _ = scene.diagnosis.learn(301, round.isMultiple(of: 2) ? long : repeated, at: 21 + round)
            let fresh = RouteHop(
                2,
                (0..<20).map { IPAddress(ipv4: UInt32(truncatingIfNeeded: round * 20 + $0)) }
            )
            _ = scene.diagnosis.learn(302, [DiagnosisScene.routers[0], fresh], at: 21 + round)
        }
        #expect(scene.diagnosis.nodeCount < 400)
    }

    @Test("Traces that alternate between two ways keep within bounds, and blame neither while targets respond")
    func alternating() {
        var scene = DiagnosisScene()
        let other = [DiagnosisScene.routers[0], RouteHop(2, [DiagnosisScene.address("10.9.9.2")])]
        for round in 0..<10_000 as Range<UInt64> {
            let routers = round.isMultiple(of: 2) ? DiagnosisScene.routers : other
            _ = scene.diagnosis.learn(301, routers, at: 10 + round)
        }
        #expect(scene.diagnosis.nodeCount <= 10)
        scene.silent(301, at: 20_000)
        scene.answered(302, 401, at: 20_001)
        _ = scene.diagnosis.traced(301, other, at: 20_001)
        #expect(scene.reading(301) == "host" || scene.reading(301) == "host, proven")
    }

    @Test("10,000 forged reports a second, from as many routers, concern the targets that they quote, within bounds")
    func forgedReports() {
        let second: UInt64 = 1_000_000_000
        var scene = DiagnosisScene()
        scene.silent(301, at: 10 * second)
        let nodes = scene.diagnosis.nodeCount
        for number in 0..<10_000 as Range<UInt64> {
            let report: RouterReport = [.noRoute, .loop, .noHost, .prohibited][Int(number % 4)]
            _ = scene.diagnosis.reported(
                report,
                301,
                by: IPAddress(ipv4: UInt32(0x0B00_0000 + number)),
                hop: Int(number % 300),
                from: 10 * second + number,
                at: 11 * second + number,
                "forged"
            )
        }
        #expect(scene.diagnosis.nodeCount == nodes && scene.diagnosis.notes.count <= 1)
        let again = scene.answered(101, 201, 302, 401, at: 12 * second)
        #expect(scene.reading(101) == "host" && Set(again).isSubset(of: [301]))
        scene.silent(401, at: 13 * second)
        #expect(scene.reading(401) == "host", "others respond there since")
    }

    @Test("Results in any order of their times, and a time far ahead, keep the readings of others")
    func times() {
        var scene = DiagnosisScene()
        scene.silent(301, at: 1_000)
        scene.answered(301, at: 10)
        scene.silent(302, at: 5)
        scene.traced(302, behind: 1, at: 3)
        scene.answered(401, at: .max)
        scene.silent(401, at: 20)
        scene.silent(201, at: 1_001)
        scene.answered(202, at: 1_002)
        #expect(scene.reading(201) == "host, proven" && scene.reading(101) == "host")
        for id in [101, 102, 201, 202, 301, 302, 401, 402] as [UInt64] { scene.diagnosis.remove(id) }
        #expect(scene.diagnosis.nodeCount == 0)
    }
}
