// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring
@testable import ReachAPI

/// Two targets behind three routers, and one behind the first of them.
@Suite("The diagnosis of /incidents/{id}")
struct IncidentDiagnosisTests {
    private static let hosts = ["a": "10.80.1.1", "b": "10.80.1.2", "near": "10.70.0.1"]
    private static let routers = ["192.0.2.1", "10.9.1.2", "10.9.2.2"]
    private let fixture = Fixture(hasProbes: true)

    init() throws {
        fixture.registry.beginIncidents()
        fixture.registry.apply(
            targets: try Self.hosts.keys.sorted().map { id in
                var target = try TargetSettings.probed(id)
                target.request = PathRequest(.address(host(id)))
                return target
            }
        )
        for id in Self.hosts.keys.sorted() {
            fixture.emit(id, .up())
            record(id)
        }
        trace("a", .reached, behind: 3, at: 3)
    }

    private func host(_ id: String) -> IPAddress { Self.hosts[id].flatMap { IPAddress($0) } ?? IPAddress(ipv4: 0) }

    /// A probe that was answered, or not.
    private func record(_ id: String, _ outcome: ProbeOutcome = .success) {
        let reason: ProbeReason? = outcome == .success ? nil : .timeout
        fixture.record(
            id,
            ProbeResult(outcome: outcome, reason: reason, detail: "no answer", duration: .zero, address: host(id)),
            gateway: .answers
        )
    }

    private func trace(_ id: String, _ end: TraceResult.End, behind count: Int, at seconds: UInt64) {
        let trace = TraceRouteTests.trace(end, Array(Self.routers.prefix(count)), at: 1_795_000_000_000)
        let ordinal = fixture.registry.target(id)?.target?.ordinal ?? 0
        _ = fixture.registry.take(trace, of: ordinal, began: seconds * 1_000_000_000)
    }

    /// The newest incident, checked against its schema.
    private func incident() throws -> JSONValue {
        let id = try #require(fixture.json("/incidents")["incidents"]?.array?.first?["id"]?.string)
        let incident = try fixture.json("/incidents/\(id)")
        try OpenAPITests().expectValid(incident, "IncidentDetails")
        return incident
    }

    private func elements(_ incident: JSONValue) -> [String] {
        incident[["diagnosis", "elements"]]?.array?.map { element in
            let place = element["prefix"]?.string ?? element["addresses"]?.array?.first?.string ?? "?"
            let fault = element["at_fault"] == .boolean(true) ? " ✗" : ""
            return "\(element["kind"]?.string ?? "?") \(place)\(fault): \(element["text"]?.string ?? "?")"
        } ?? []
    }

    @Test("A trace that ends early: the routers that answered, the element at fault, and why")
    func hop() throws {
        for id in ["a", "b"] { record(id, .failure) }
        trace("a", .silent, behind: 2, at: 6)
        record("near")
        let incident = try incident()
        #expect(incident["kind"] == .string("hop"))
        #expect(
            incident[["diagnosis", "text"]]
                == .string(
                    "A trace ended after 10.9.1.2 (hop 2), which led on to 10.9.2.2 (hop 3) before. No packet was seen to pass since."
                )
        )
        #expect(
            elements(incident) == [
                "gateway 192.0.2.1: Packets passed it after the first silent probe.",
                "router 10.9.1.2: It answers; no packet passed it since the first silent probe.",
                "router 10.9.2.2 ✗: A trace ended before it, and no packet came to it since.",
            ]
        )
        let first = incident[["diagnosis", "elements"]]?.array?.first
        #expect(first?["targets"] == .number(3) && first?["silent"] == .number(2))
        #expect(incident[["diagnosis", "targets"]] == .number(2) && incident[["diagnosis", "omitted_targets"]] == nil)
    }

    @Test(
        "The title says where packets end; it is stored, and a fleet's has the hop, too"
    )
    func title() throws {
        for id in ["a", "b"] { record(id, .failure) }
        let id = try #require(fixture.registry.incidents(of: "a").first)
        #expect(
            try fixture.json("/incidents/\(id)")["title"]
                == .string("Packets end after 10.9.2.2 (hop 3 of 4): 2 targets unreachable"),
            "nothing responded since"
        )
        record("near")
        trace("a", .silent, behind: 2, at: 7)
        let title = "Packets end after 10.9.1.2 (hop 2 of 4): 2 targets unreachable"
        #expect(try fixture.json("/incidents/\(id)")["title"] == .string(title))
        record("near", .failure)
        #expect(try fixture.json("/incidents/\(id)")["title"] == .string(title))
        let stored = try #require(fixture.registry.storedIncidents.first?.incident)
        #expect(Incident(stored: stored.stored, number: stored.number)?.description == stored.description)
        #expect(stored.description.hop == 2)
        let reported = try #require(fixture.registry.target("a").flatMap { IncidentFault($0) })
        let fault = try #require(IncidentFault(stored: reported.stored))
        let observation = IncidentObservation(
            target: "a",
            condition: .failing(fault.cause, fault.distance, .unreachable),
            evidence: .reported(fault),
            at: fixture.clock.now()
        )
        let description = IncidentDescription(observation, fault.cause, .unreachable)
        #expect(description.words == "Packets end after 10.9.1.2 (hop 2 of 4)")
    }

    @Test("The example of the contract is valid")
    func example() throws {
        let checker = try OpenAPITests()
        let path = ["paths", "/incidents/{id}", "get", "responses", "200", "content", "application/json", "examples"]
        try checker.expectValid(checker.checker.document[path + ["hop", "value"]], "IncidentDetails")
    }

    @Test("The validator follows what is observed; a closed incident has no diagnosis")
    func changes() throws {
        for id in ["a", "b"] { record(id, .failure) }
        trace("a", .silent, behind: 2, at: 6)
        let id = try #require(incident()["id"]?.string)
        let tag = fixture.respond("/incidents/\(id)").header("ETag")
        #expect(fixture.respond("/incidents/\(id)").header("ETag") == tag)
        // Another incident, whose target is behind the same gateway.
        record("near", .failure)
        #expect(fixture.respond("/incidents/\(id)").header("ETag") != tag)
        for id in ["a", "b"] { record(id) }
        let closed = try fixture.json("/incidents/\(id)")
        #expect(closed["state"] == .string("closed") && closed["diagnosis"] == nil)
    }

    @Test("Two silent hosts without a trace: the element nearest to them that explains both")
    func silence() throws {
        for id in ["a", "b"] { record(id, .failure) }
        let text = try incident()[["diagnosis", "text"]]?.string
        #expect(
            text
                == "2 hosts are silent, and no packet came to 10.80.1.0/24 since. Of the elements that explain all of them, it is the "
                + "nearest to them."
        )
        #expect(
            try elements(incident()).last?.hasPrefix("network 10.80.1.0/24 ✗: 2 hosts behind it are silent") == true
        )
    }

    @Test("A silent host whose neighbour responds; before that nothing shows that the way works")
    func host() throws {
        record("a", .failure)
        #expect(try incident()["kind"] == .string("silence"))
        let text =
            "Nothing shows that the way is broken, and no other host is silent with it: the host itself is at fault."
        #expect(try incident()[["diagnosis", "text"]] == .string(text))
        record("b")
        #expect(
            try incident()[["diagnosis", "text"]]
                == .string(
                    "Packets came to 10.80.1.0/24 after the first silent probe, so the way worked then: the host itself is at fault."
                )
        )
        #expect(
            try elements(incident()).suffix(2) == [
                "network 10.80.1.0/24: Packets came to it after the first silent probe.",
                "host 10.80.1.1 ✗: It does not answer.",
            ]
        )
    }

    @Test("A cause that was observed has no diagnosis, and targets that hide their address are left out")
    func others() throws {
        fixture.record("near", .failure(.connectRefused))
        #expect(try incident()["diagnosis"] == nil)
        var hidden = try TargetSettings.probed("b")
        hidden.request = PathRequest(.address(host("b")))
        hidden.hidesAddress = true
        let settings = ["a", "near"].compactMap { fixture.registry.target($0)?.target?.settings }
        fixture.registry.apply(targets: settings + [hidden])
        fixture.emit("b", .up())
        for id in ["a", "b"] { record(id, .failure) }
        trace("a", .silent, behind: 2, at: 9)
        let id = try #require(fixture.registry.incidents(of: "a").first)
        #expect(try fixture.json("/incidents/\(id)")[["diagnosis", "targets"]] == .number(1))
    }
}
