// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import JSON
import MonitoringTestSupport
import NetworkPaths
import PostgreSQL
import Probing
import ServerTrust
import Testing

@testable import Fleet
@testable import Monitoring

@Suite("A certificate's change from a node's log to the fleet's")
struct CertificateReportTests {
    private let clock = FakeClock()
    private let registry: Registry
    private let reports: NodeReports

    init() throws {
        let source = FakeSource()
        registry = Registry(log: EventLogSettings(), clock: clock, epoch: "e0")
        registry.connect(to: source)
        reports = NodeReports(registry, location: "berlin", wall: clock)
        var target = TargetSettings.address("a", "198.51.100.7")
        let request = ProbeRequest(
            host: .address(IPAddress(ipv4: 0xc633_6407)),
            kind: .tcp(TCPProbeSettings(port: 443)),
            timeout: .seconds(2)
        )
        target.probe = ProbePlan(.ask(request), verdict: try VerdictSettings(fall: 1, rise: 1, interval: .seconds(10)))
        registry.apply(targets: [target])
        let path = PathUpdate(
            id: try #require(source.id(target.request)),
            path: .up(),
            previous: nil,
            trigger: ChangeTrigger(.route)
        )
        registry.pathsDidChange([path])
        hold(token: 3)
    }

    private func hold(token: UInt64) {
        let owned = OwnAssignment(key: FleetScene.key("berlin"), token: token, since: .zero, confirmed: 0)
        reports.hold([owned], [AssignedTarget(id: "a", shard: FleetScene.shard, declaration: "")])
    }

    private func show(_ fingerprint: String) throws {
        let certificate = Certificate(
            subject: "CN=a.example",
            issuer: "CN=An authority",
            serialNumber: "01",
            fingerprint: fingerprint,
            publicKeyDigest: "bb",
            names: ["a.example"],
            notBefore: 1_700_000_000,
            notAfter: 1_900_000_000
        )
        let trust = TrustVerdict(
            isAccepted: true,
            predicates: TrustPredicates(
                isValid: true,
                matchesDomain: true,
                hasPinnedKey: false,
                isValidAgainstPins: false
            ),
            sentChain: [certificate],
            checkedAt: 1_795_000_000
        )
        let result = ProbeResult(
            outcome: .success,
            detail: "it answers",
            duration: .milliseconds(1),
            tls: TLSReport(version: "TLSv1.3", trust: trust)
        )
        let target = try #require(registry.target("a")?.target)
        _ = registry.record(result, of: target, circumstances: Registry.ProbeContext())
    }

    private func certificates() throws -> [Report] {
        guard case .events(let found, _) = reports.reports(after: 0, limit: 100, bytes: 1 << 20) else { return [] }
        return found.filter { $0.kind == .certificate }
    }

    @Test("The event of the fleet has the members of the node's, and where it was observed")
    func event() throws {
        try show("aa")
        #expect(try certificates() == [])
        try show("cc")
        let report = try #require(try certificates().first)
        #expect(report.target == "a" && report.token == 3 && report.observation == nil)
        let data = try #require(report.certificate?.data)
        var scene = try FleetScene()
        scene.declare("a")
        scene.assign("berlin", to: "berlin-1", token: 3, confirmed: true)
        let entry = try #require(CertificateEntry(data))
        let changes = scene.decide([scene.row(.certificate(target: "a", entry), at: report.at)])
        #expect(changes.inboxIDs.count == 1 && changes.rejected.isEmpty && changes.verdicts.isEmpty)
        let logged = try #require(changes.entries.first)
        #expect(changes.entries.count == 1 && logged.type == .certificate && logged.target == "a")
        #expect(logged.group == "web" && logged.tags == "{a,b}" && logged.state == nil)
        let local = try #require(registry.recordedEvents(after: 0, limit: 100).events.last { $0.type == .certificate })
        #expect(
            logged.data
                == String(decoding: local.data, as: UTF8.self)
                .replacing(#""target":"a","#, with: #""target":"a","location":"berlin","node":"berlin-1","#)
        )
    }

    @Test("A change that was observed before the shard was assigned is not reported")
    func earlier() throws {
        try show("aa")
        try show("cc")
        hold(token: 4)
        #expect(try certificates() == [])
        try show("dd")
        #expect(try certificates().map(\.token) == [4])
    }

    @Test("Rows of former owners and about unknown targets do not count")
    func rejections() throws {
        var scene = try FleetScene()
        scene.declare("a")
        scene.assign("berlin", to: "berlin-1", token: 3, confirmed: true)
        let entry = try #require(CertificateEntry(Self.data))
        let changes = scene.decide([
            scene.row(.certificate(target: "a", entry), token: 2), scene.row(.certificate(target: "b", entry)),
        ])
        #expect(changes.rejected == [.staleToken: 1, .unknownTarget: 1] && changes.entries.isEmpty)
    }

    private static let data = #"{"changed":["fingerprint"],"names_added":[],"names_removed":[],"old":{},"new":{}}"#

    @Test(
        "Data of another form are not readable",
        arguments: [
            "", "{}", "[]", data + "x", data.replacing("old", with: "other"), data.replacing(":{}", with: ":{"),
            data.replacing(#","new""#, with: ",\n\"new\""), data.replacing(#""old":{},"#, with: #""old":{},"old":{},"#),
            String(repeating: "[", count: 60_000),
        ]
    )
    func hostileData(_ data: String) {
        #expect(CertificateEntry(data) == nil)
    }

    @Test("A report that is longer than the inbox's rows can be is not sent")
    func longData() {
        let long = [UInt8](repeating: 0x20, count: CertificateEntry.dataLimit + 1)
        #expect(Report.Certificate(target: "a", data: long) == nil)
        #expect(Report.Certificate(target: "a", data: Array(long.dropLast())) != nil)
    }
}
