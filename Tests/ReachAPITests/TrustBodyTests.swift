// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import HTTPServer
import MonitoringTestSupport
import ServerTrust
import Testing

@testable import Monitoring
@testable import Probing
@testable import ReachAPI

@Suite("Trust results in responses")
struct TrustBodyTests {
    /// The certificates of the tests of ServerTrust, and a time at which they are valid.
    static let certificates =
        #filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" } + "/ServerTrustTests/Fixtures"
    static let time: Int64 = 1_771_113_600

    let fixture: Fixture

    init() throws {
        fixture = Fixture(hasProbes: true)
        fixture.tellNetwork(.up())
        fixture.registry.apply(targets: [try .probed("web", by: .tls(TLSProbeSettings(port: 443)))])
        fixture.emit("web", .up())
    }

    private static func path(_ name: String) -> String { "\(certificates)/\(name).pem" }

    private func pins(_ names: String...) throws -> PinSet { try PinSet(names.map(Self.path)) }

    /// What a server with these certificates comes to.
    private func report(
        _ names: String...,
        policy: SecurityPolicy = .default,
        domain: String = "good.test",
        staple: StapledResponse? = nil
    ) throws -> TLSReport {
        let chain = try CertificateChain(files: names.map(Self.path))
        let anchors = try TrustAnchors(files: [Self.path("root")])
        let trust = try policy.evaluate(chain, domain: domain, at: Self.time, anchors: anchors)
        return TLSReport(version: "TLSv1.3", trust: trust, staple: staple)
    }

    private func result(_ report: TLSReport) -> ProbeResult {
        var result = report.trust.isAccepted ? ProbeResult.success : .failure(.tlsPinMismatch, "no pin")
        result.tls = report
        return result
    }

    /// What the target's body says after a run.
    private func body(_ report: TLSReport) throws -> JSONValue {
        fixture.record("web", result(report))
        return try #require(try fixture.json("/targets/web")[["last_result", "tls"]])
    }

    @Test("An accepted server has the row, the predicates, the whole chain and its anchor")
    func accepted() throws {
        let tls = try body(try report("leaf", "intermediate"))
        #expect(tls["version"] == .string("TLSv1.3"))
        #expect(tls["is_trusted"] == .boolean(true))
        #expect(tls["cipher"] == nil && tls["alpn"] == nil && tls["staple"] == nil && tls["certificate"] == nil)
        #expect(
            tls["trust"]
                == .object([
                    "is_accepted": .boolean(true), "row": .string("T1"), "is_valid": .boolean(true),
                    "matches_domain": .boolean(true), "faults": .array([]), "tolerated": .array([]),
                    "warnings": .array([]),
                    "expiry": .object([
                        "leaf": .string("2125-01-01T00:00:00.000Z"),
                        "earliest_sent": .string("2125-01-01T00:00:00.000Z"),
                        "verified_chain": .string("2125-01-01T00:00:00.000Z"),
                    ]),
                ])
        )
        #expect(tls["chain_count"] == .number(2))
        let chain = try #require(tls["chain"]?.array)
        #expect(chain.count == 2)
        #expect(chain[0]["is_authority"] == .boolean(false))
        #expect(chain[1]["is_authority"] == .boolean(true))
        #expect(chain[0]["key"] == .string("EC 256"))
        #expect(chain[0]["signature_algorithm"]?.string?.contains("256") == true)
        #expect(chain[0]["names"]?.array?.contains(.string("good.test")) == true)
        // What was sent is told once; the anchor, which was not, in full.
        let built = try #require(tls["built_chain"]?.array)
        #expect(built.count == 3)
        for (short, full) in zip(built.prefix(2), chain) {
            #expect(short.keys == ["fingerprint_sha256", "subject"])
            #expect(short["fingerprint_sha256"] == full["fingerprint_sha256"])
        }
        #expect(built.last?["key"] == .string("RSA 2048"))
        #expect(built.last?["not_after"] != nil)
    }

    @Test("A rejected server has every reason with its depth, and the whole chain")
    func rejected() throws {
        var policy = try SecurityPolicy(pinningMode: .publicKey, pins: try pins("other-root", "self-san"))
        policy.limitsLifetime = true
        let tls = try body(try report("expired", "intermediate", policy: policy, domain: "evil.test"))
        #expect(tls["is_trusted"] == .boolean(false))
        let trust = try #require(tls["trust"])
        #expect(trust["is_accepted"] == .boolean(false))
        #expect(trust["row"] == .string("T10"))
        #expect(trust["is_valid"] == .boolean(false))
        #expect(trust["matches_domain"] == .boolean(false))
        #expect(trust["has_pinned_key"] == .boolean(false))
        #expect(trust["is_valid_against_pins"] == nil)
        let faults = try #require(trust["faults"]?.array)
        #expect(
            faults.compactMap { $0["code"]?.string } == ["expired", "hostname_mismatch", "pin_mismatch"]
        )
        #expect(faults.allSatisfy { $0["depth"] == .number(0) && $0["detail"]?.string?.isEmpty == false })
        #expect(trust[["expiry", "verified_chain"]] == nil)
        #expect(trust[["expiry", "leaf"]] == .string("2025-06-01T00:00:00.000Z"))
        #expect(tls["chain"]?.array?.count == 2)
        #expect(try fixture.json("/targets/web")["state"] == .string("down"))
    }

    @Test("S11: with pinned certificates A and the expiry of the pins are reported")
    func pinnedCertificate() throws {
        let policy = try SecurityPolicy(pinningMode: .certificate, pins: try pins("leaf", "other-root"))
        let trust = try #require(try body(try report("leaf", "intermediate", policy: policy))["trust"])
        #expect(trust["row"] == .string("T18"))
        #expect(trust["is_accepted"] == .boolean(true))
        #expect(trust["has_pinned_key"] == nil)
        #expect(trust["is_valid_against_pins"] == .boolean(true))
        #expect(trust[["expiry", "pins"]]?.string?.hasPrefix("2125-01-0") == true)
    }

    @Test("With report-only pins the server is accepted, with tolerated faults and a warning")
    func reportOnly() throws {
        var policy = try SecurityPolicy(pinningMode: .publicKey, pins: try pins("other-root", "self-san"))
        policy.reportsPinsOnly = true
        let tls = try body(try report("leaf", "intermediate", policy: policy))
        let trust = try #require(tls["trust"])
        #expect(trust["is_accepted"] == .boolean(true))
        #expect(tls["is_trusted"] == .boolean(false))
        #expect(trust["faults"] == .array([]))
        #expect(trust["tolerated"]?.array?.compactMap { $0["code"]?.string } == ["pin_mismatch"])
        #expect(trust["warnings"] == .array([.string("pin_mismatch_reported")]))
    }

    @Test("A stapled response is reported as far as it was read")
    func staple() throws {
        let revoked = StapledResponse(status: .revoked, thisUpdate: 0, nextUpdate: 60, revokedAt: -1)
        #expect(
            try body(try report("leaf", staple: revoked))["staple"]
                == .object([
                    "status": .string("revoked"), "this_update": .string("1970-01-01T00:00:00.000Z"),
                    "next_update": .string("1970-01-01T00:01:00.000Z"),
                    "revoked_at": .string("1969-12-31T23:59:59.000Z"),
                ])
        )
        let unusable = StapledResponse(status: .unusable)
        #expect(
            try body(try report("leaf", staple: unusable))["staple"] == .object(["status": .string("unusable")])
        )
    }

    // MARK: Lists

    @Test("Lists, snapshots and target events have only the server's certificate; results have the chain")
    func brief() throws {
        let full = try body(try report("strange", "intermediate"))
        let expected = full.keys.subtracting(["chain", "built_chain"]).union(["certificate"])
        let list = try #require(try fixture.json("/targets")["targets"]?.array?.first?[["last_result", "tls"]])
        #expect(list.keys == expected)
        #expect(list["trust"] == full["trust"])
        #expect(list["chain_count"] == .number(2))
        // The leaf has two hundred names: a hundred are kept, and sixteen are told in a list.
        #expect(full["chain"]?.array?.first?["names"]?.array?.count == 100)
        #expect(list[["certificate", "names"]]?.array?.count == 16)
        #expect(list[["certificate", "name_count"]] == full["chain"]?.array?.first?["name_count"])
        #expect(
            list[["certificate", "fingerprint_sha256"]] == full["chain"]?.array?.first?["fingerprint_sha256"]
        )
        let snapshot = try #require(try fixture.stream("?snapshot=1").drain().first { $0.type == "snapshot" }?.data)
        #expect(snapshot["targets"]?.array?.first?[["last_result", "tls"]] == list)

        let stream = try fixture.stream("?include=result")
        _ = try stream.drain()
        var renamed = try TargetSettings.probed("web", by: .tls(TLSProbeSettings(port: 443)))
        renamed.name = "Another"
        fixture.registry.apply(targets: [renamed])
        fixture.record("web", result(try report("strange", "intermediate")))
        let events = try stream.drain()
        let target = events.first { $0.type == "target" }?.data?["target"]
        #expect(target?[["last_result", "tls"]] == list)
        let told = events.first { $0.type == "result" }?.data
        #expect(told?[["result", "tls"]] == full)
    }

    @Test("Health and a run on demand report as much as the target itself")
    func full() throws {
        let full = try body(try report("leaf", "intermediate"))
        #expect(try fixture.json("/targets/web/health")[["last_result", "tls"]] == full)
        let response = fixture.post("/targets/web/probe")
        fixture.probes.finish(ProbeReport(.success, at: Timestamp(milliseconds: 0), lag: .zero, diagnosis: nil))
        #expect(try JSONValue(parsing: try #require(response.late).bytes)[["last_result", "tls"]] == full)
    }

    @Test("A chain of ten is bounded in a list and in the target itself")
    func size() throws {
        let report = try report(
            "strange",
            "intermediate",
            "root",
            "cross-root",
            "other-root",
            "deep",
            "constrained",
            "leaf",
            "two-names",
            "wildcard",
            "ip-only"
        )
        fixture.record("web", result(report))
        #expect(fixture.respond("/targets").bytes.count < 4_000)
        let body = fixture.respond("/targets/web")
        #expect(body.bytes.count < 16_000)
        let tls = try JSONValue(parsing: body.bytes)[["last_result", "tls"]]
        #expect(tls?["chain"]?.array?.count == 10)
        #expect(tls?["chain_count"] == .number(11))
    }

    // MARK: Events

    @Test("A new certificate is reported with its differences and the added and removed names")
    func change() throws {
        let stream = try fixture.stream("?event=certificate")
        _ = try stream.drain()
        fixture.record("web", result(try report("leaf", "intermediate")))
        fixture.record("web", result(try report("leaf-renewed", "intermediate")))
        fixture.record("web", result(try report("two-names", "intermediate")))
        fixture.record("web", result(try report("self-san")))
        let events = try stream.drain().compactMap(\.data)
        let changed = events.map { $0["changed"]?.array?.compactMap(\.string) ?? [] }
        #expect(changed.count == 3)
        #expect(!changed[0].contains("public_key") && changed[0].first == "fingerprint")
        #expect(changed[1].contains("public_key") && changed[1].contains("names") && !changed[1].contains("issuer"))
        #expect(changed[2].contains("issuer"))
        #expect(events[1]["names_added"] == .array([.string("one.test"), .string("two.test")]))
        #expect(events[1]["names_removed"]?.array?.contains(.string("www.good.test")) == true)
        #expect(events[1][["old", "names"]]?.array?.contains(.string("www.good.test")) == true)
        // It was rejected, and is told all the same.
        #expect(events[2][["new", "key"]] == .string("EC 256"))
    }

    @Test("No response or event contains a client key or its path")
    func noSecrets() throws {
        let key = "\(Self.certificates)/leaf.key"
        var settings = TLSSettings()
        settings.certificateFile = Self.path("leaf")
        settings.keyFile = key
        settings.policy = try SecurityPolicy(pinningMode: .publicKey, pins: try pins("leaf", "root"))
        fixture.registry.apply(targets: [try .probed("web", by: .tls(TLSProbeSettings(port: 443, tls: settings)))])
        let stream = try fixture.stream("?since=\(fixture.id(0))&snapshot=1&include=result")
        fixture.record("web", result(try report("leaf", "intermediate", policy: settings.policy)))
        fixture.record("web", result(try report("two-names", "intermediate", policy: settings.policy)))
        var bytes = fixture.respond("/targets/web").bytes + fixture.respond("/targets").bytes
        while case .bytes(let piece) = stream.next() { bytes += piece }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("event: certificate"))
        let lines = try String(contentsOfFile: key, encoding: .utf8).split(separator: "\n").filter {
            !$0.hasPrefix("-----")
        }
        #expect(lines.count > 1)
        for secret in lines.map(String.init) + ["PRIVATE KEY", "leaf.key"] {
            #expect(!text.contains(secret) && !text.contains(secret.split(separator: "/").joined(separator: #"\/"#)))
        }
    }
}
