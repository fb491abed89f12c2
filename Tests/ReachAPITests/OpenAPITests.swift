// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import Foundation
import HTTPServer
import KeyValueObserving
import MonitoringTestSupport
import NetworkPaths
import Schema
import ServerTrust
import Synchronization
import Testing

@testable import Configuration
@testable import History
@testable import Monitoring
@testable import Notifying
@testable import Probing
@testable import ReachAPI

@Suite("openapi.yaml matches the code")
struct OpenAPITests {
    let checker: SchemaChecker

    init() throws {
        checker = SchemaChecker(document: try OpenAPIDocument.load())
    }

    private func schema(_ name: String) throws -> JSONValue {
        try #require(checker.document[["components", "schemas", name]], "no schema \(name)")
    }

    func expectValid(_ value: JSONValue?, _ name: String) throws {
        let faults = checker.faults(try #require(value), against: try schema(name))
        #expect(faults.isEmpty, "\(name)")
    }

    @Test("The embedded text is the file at the root")
    func embedded() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = try Data(contentsOf: root.appending(path: "openapi.yaml"))
        let isSame = Fixture().respond("/openapi.yaml").bytes == Array(file)
        // A difference of 170 kB is not printed.
        #expect(isSame)
    }

    @Test("The durable log's status, with every reason")
    func history() throws {
        let reasons = try schema("HistoryFault")
        #expect(
            reasons[["properties", "code", "enum"]] == .array(HistoryError.Code.allCases.map { .string($0.rawValue) })
        )
        for code in [nil] + HistoryError.Code.allCases.map(Optional.some) {
            let fixture = Fixture(history: FakeHistory(failure: code))
            try expectValid(fixture.json("/status"), "Status")
        }
    }

    @Test("The status of the rollups, with their failures")
    func rollups() throws {
        let history = try HistoryFixture(history: FakeHistory())
        history.fixture.registry.apply(targets: [.address("web", "198.51.100.8")])
        history.fixture.emit("web", .up())
        history.pass(seconds: 120)
        history.recorder.turn()
        try expectValid(history.json("/status"), "Status")
        #expect(try history.json("/status")[["history", "rollups", "state"]]?.string == "ok")
        try "".write(toFile: history.path, atomically: true, encoding: .utf8)
        history.pass(seconds: 120)
        history.recorder.turn()
        let status = try history.json("/status")
        try expectValid(status, "Status")
        #expect(status[["history", "rollups", "state"]]?.string == "degraded")
        let exposition = Exposition(history.respond("/metrics").bytes)
        #expect(exposition.value("reachd_rollups_written") == "0")
        #expect(exposition.value("reachd_rollups_lost_total") == "0")
    }

    @Test("Messages to webhooks")
    func messages() throws {
        func change(_ sequence: UInt64, _ to: TargetState) -> StateChange {
            StateChange(
                id: EventID(epoch: "abcd", sequence: sequence),
                at: Fixture.started,
                target: "web",
                group: "edge",
                tags: ["a": "b"],
                from: .up,
                to: to,
                reason: "no_answer",
                detail: "it \"does\" not answer",
                cause: .localNetwork
            )
        }
        let removed = change(3, .unknown).ended(.removed)
        let many = (1...100).map { change($0, .unreachable) }
        func message(_ kind: Message.Kind, _ changes: [StateChange], of count: Int) -> Message {
            Message(
                kind: kind,
                id: "abcd-1.opened.1",
                at: Fixture.started,
                status: .firing,
                severity: .warning,
                changes: changes,
                count: count,
                causes: [.localNetwork: count]
            )
        }
        var messages = [
            message(.state, [change(1, .down)], of: 1), message(.state, [removed], of: 1),
            message(.outage, many, of: 150), .test(at: Fixture.started),
        ]
        let renewal = RecordedEvent(
            sequence: 4,
            at: Fixture.started,
            type: .certificate,
            target: "web",
            data: Array(#"{"changed": ["fingerprint"]}"#.utf8)
        )
        messages.append(Message(try #require(CertificateEntry(renewal, epoch: "abcd"))))
        messages[0].incident = MessageIncident(
            key: "abcd-1",
            id: "abcd-1",
            title: "it is down",
            phase: .closed,
            openedAt: Fixture.started,
            begunAt: Fixture.started,
            closedAt: Fixture.started,
            total: 1,
            failing: 0
        )
        #expect(Set(messages.map(\.kind)) == Set(Message.Kind.allCases))
        for message in messages { try expectValid(JSONValue(parsing: MessageBody.render(message)), "Message") }
    }

    @Test("Routes, methods and query parameters")
    func routes() throws {
        let paths = try #require(checker.document["paths"])
        #expect(paths.keys == Set(Route.allCases.map(\.rawValue)))
        for route in Route.allCases {
            let item = try #require(paths[route.rawValue])
            // HEAD and OPTIONS are described once, for all.
            let described = route.methods.filter { $0 != .head && $0 != .options }
            #expect(item.keys.subtracting(["parameters"]) == Set(described.map { $0.rawValue.lowercased() }))
            #expect(route.methods.contains(.get) == route.methods.contains(.head))
            #expect(route.methods.last == .options)
            for method in described {
                let operation = try #require(item[method.rawValue.lowercased()])
                #expect(operation["responses"]?.keys.isSuperset(of: ["400", "405", "421"]) == true, "\(route)")
                try expectParameters(route.parameters(of: method), of: operation, "\(method) \(route)")
            }
        }
    }

    private func expectParameters(_ own: [QueryParameter], of operation: JSONValue, _ name: String) throws {
        let parameters = (operation["parameters"]?.array ?? []).compactMap { parameter in
            parameter["$ref"].flatMap(checker.resolve) ?? parameter
        }
        let query = parameters.filter { $0["in"] == .string("query") }
        #expect(query.compactMap { $0["name"]?.string } == own.map(\.name), "\(name)")
        for (parameter, own) in zip(query, own) {
            let isArray = parameter[["schema", "type"]] == .string("array")
            let style: QueryParameter.Style =
                !isArray ? .single : parameter["explode"] == .boolean(true) ? .repeated : .list
            #expect(style == own.style, "\(name) \(own.name)")
        }
    }

    @Test("A declaration has the keys of the configuration")
    func declaration() throws {
        let declaration = try schema("TargetDeclaration")
        let fields = ConfigurationSchema.target.fields
        // Only a fleet's targets are watched from several locations.
        #expect(declaration["properties"]?.keys == Set(fields.map(\.name)).union(["watch"]))
        let probe = try #require(declaration[["properties", "probe", "properties", "type", "enum"]]?.array)
        guard case .choice(let types)? = ConfigurationSchema.probe.field("type")?.type else {
            Issue.record("The type of a probe is no choice")
            return
        }
        #expect(Set(probe.compactMap(\.string)) == Set(types.map(\.word)))
    }

    @Test(
        "Enumerations",
        arguments: [
            ("ReachabilityStatus", ReachabilityStatus.allCases.map(\.name)),
            ("TargetState", TargetState.allCases.map(\.rawValue)),
            ("MetricsPart", MetricsPart.allCases.map(\.rawValue)),
            ("FailCondition", FailCondition.allCases.map(\.rawValue)),
            ("TargetKind", TargetKind.allCases.map(\.rawValue)),
            ("UnsatisfiedReason", UnsatisfiedReason.allCases.map(\.rawValue)),
            // The path and the probe have some in common.
            ("ReasonCode", Array(Set(ReasonCode.allCases.map(\.rawValue)))),
            ("VerdictBasis", VerdictBasis.allCases.map(\.rawValue)),
            ("CauseRule", CauseRule.allCases.map(\.rawValue)),
            ("Cause", StateCause.allCases.map(\.rawValue)),
            ("TraceOutcome", TraceResult.End.names),
            ("OffenderRole", Offender.Role.allCases.map(\.rawValue)),
            ("InterfaceType", InterfaceType.allCases.map(\.rawValue)),
            ("FlagName", SCNetworkReachabilityFlags(rawValue: .max).names),
            ("PathField", PathField.allCases.map(\.rawValue)),
            ("TargetField", TargetField.allCases.map(\.rawValue)),
            ("EventName", EventQuery.eventNames),
            ("EventExtra", ["result"]),
            ("HeartbeatStatus", HeartbeatStatus.allCases.map(\.rawValue)),
            ("ProbeFamily", ProbeFamily.allCases.map(\.rawValue)),
            ("AddressChoice", AddressChoice.allCases.map(\.rawValue)),
            ("ProbeOutcome", ProbeOutcome.allCases.map(\.rawValue)),
            ("TrustFault", TrustFault.Code.allCases.map(\.rawValue)),
            ("TrustWarning", TrustWarning.allCases.map(\.rawValue)),
            ("OCSPStatus", StapledResponse.Status.allCases.map(\.rawValue)),
            ("CertificateField", CertificateChange.Field.allCases.map(\.rawValue)),
            ("ActivityState", ActivityState.allCases.map(\.name)),
            ("EventFormat", EventFormat.allCases.map(\.rawValue)),
            ("ObservedKey", ObservedKey.allCases.map(\.rawValue)),
            ("KeyValueOption", EventQuery.namedOptions.map(\.name)),
            ("TargetAction", TargetAction.allCases.map(\.rawValue)),
            ("ConfigurationAction", ConfigurationChange.Action.allCases.map(\.rawValue)),
            ("UplinkState", Uplink.State.allCases.map(\.rawValue)),
            ("UplinkCause", UplinkOutage.Cause.allCases.map(\.rawValue)),
            ("UplinkEnd", UplinkOutage.End.allCases.map(\.rawValue)),
            ("IncidentState", ["open", "closed"]),
            ("IncidentKind", IncidentCause.Kind.allCases.map(\.rawValue)),
            ("IncidentSeverity", TargetState.allCases.filter { $0.gravity > 0 }.map(\.rawValue)),
            ("IncidentAction", IncidentChange.Action.allCases.map(\.rawValue)),
            ("IncidentMoment", IncidentMoment.Kind.allCases.map(\.rawValue)),
            ("IncidentMemberEnd", IncidentMember.End.allCases.map(\.rawValue)),
            ("BadgeType", BadgeQuery.Kind.allCases.map(\.rawValue)),
            ("UptimeWindow", UptimeWindow.allCases.map(\.rawValue)),
            ("ResetReason", ResetReason.allCases.map(\.rawValue)),
            ("ProblemType", ProblemKind.allCases.map { "urn:reachd:problem:" + $0.rawValue }),
        ] as [(String, [String])]
    )
    func enumerations(name: String, values: [String]) throws {
        let listed = try schema(name)["enum"]?.array?.compactMap(\.string) ?? []
        #expect(Set(listed) == Set(values))
        #expect(listed.count == values.count)
    }

    @Test("The phases of a probe")
    func phases() throws {
        let phases = try #require(try schema("ProbeResult")[["properties", "phases", "properties"]])
        #expect(phases.keys == Set(ProbePhase.allCases.map(\.rawValue)))
    }

    @Test("Enumerations without a list of their cases have each listed value")
    func openEnumerations() throws {
        func listed(_ name: String) throws -> [String] { try schema(name)["enum"]?.array?.compactMap(\.string) ?? [] }
        #expect(try listed("Origin").allSatisfy { TargetSettings.Origin(rawValue: $0) != nil })
        #expect(try listed("NameJudgement").allSatisfy { PathRequest.NameEvaluation(rawValue: $0) != nil })
        #expect(try listed("PathStatus").allSatisfy { PathStatus(rawValue: $0) != nil })
        #expect(try listed("ResolutionState").allSatisfy { Resolution.State(rawValue: $0) != nil })
        #expect(try listed("TriggerKind").allSatisfy { ChangeTrigger.Kind(rawValue: $0) != nil })
    }

    @Test("Every reference resolves, and every schema uses keywords that the checker knows")
    func references() throws {
        func walk(_ value: JSONValue, _ path: String) {
            switch value {
            case .array(let elements): for element in elements { walk(element, path) }
            case .object(let members):
                if let reference = members["$ref"], checker.resolve(reference) == nil {
                    Issue.record("\(path): dangling \(reference)")
                }
                for (name, member) in members { walk(member, path + "/" + name) }
            default: break
            }
        }
        walk(checker.document, "")
        for name in try #require(checker.document[["components", "schemas"]]).keys {
            let faults = checker.faults(.object([:]), against: try schema(name))
            #expect(!faults.contains { $0.contains("does not know") }, "\(name)")
        }
    }

    @Test("The checker finds errors")
    func checkerWorks() throws {
        let flags = try schema("Flags")
        let good = try JSONValue(parsing: #"{"value":2,"names":["reachable"],"text":"-R -------"}"#)
        #expect(checker.faults(good, against: flags).isEmpty)
        for bad in [
            #"{"value":2,"names":["reachable"]}"#, #"{"value":2,"names":["x"],"text":"-R -------"}"#,
            #"{"value":-1,"names":[],"text":"-R -------"}"#, #"{"value":1.5,"names":[],"text":"-R -------"}"#,
            #"{"value":2,"names":[],"text":"R"}"#, #"{"value":2,"names":[],"text":"-R -------","x":1}"#, "[]", "null",
        ] {
            #expect(!checker.faults(try JSONValue(parsing: bad), against: flags).isEmpty, "\(bad)")
        }
    }

    /// A service in which everything that can be shown is there.
    private func busy() throws -> Fixture {
        let fixture = Fixture(hasProbes: true)
        fixture.registry.beginIncidents()
        fixture.tellNetwork(.cellular)
        let name = TargetSettings(
            id: "n",
            name: "A name",
            request: PathRequest(.name("example.net"), mark: 3, nameEvaluation: .pessimistic),
            text: "example.net",
            port: 443,
            group: "g",
            tags: ["a": "b"],
            origin: .config
        )
        let pair = TargetSettings(
            id: "p",
            request: PathRequest(.pair(local: IPAddress(ipv4: 1), remote: IPAddress(ipv4: 2))),
            text: "0.0.0.1>0.0.0.2",
            origin: .api
        )
        let probed = try [
            TargetSettings.probed("q"), .probed("r", dependsOn: ["q"]), .probedByName("d"), .calling("j"),
            .probed("h", by: .http(HTTPProbeSettings(url: HTTPURL("https://example.org/a?b=c")))),
            .probed("g", by: .grpc(GRPCProbeSettings(port: 50051, tls: nil, service: "a.B"))),
            .probed("s", by: .tls(TLSProbeSettings(port: 993))),
        ]
        fixture.registry.apply(targets: [.address("a"), name, pair] + probed, automatic: true)
        for id in ["q", "r", "d", "j"] { fixture.emit(id, .up()) }
        fixture.registry.setAnchors(["q"], quorum: 1)
        fixture.record("d", .rich, lag: .milliseconds(3))
        let renewed = ProbeResult.rich(showing: "another")
        fixture.record("d", renewed)
        if let ordinal = fixture.registry.target("d")?.target?.ordinal {
            let hop = [IPAddress(ipv4: 1)]
            let change = RouteChange(destination: hop[0], firstDifference: 1, previous: [hop], current: [[], hop])
            fixture.registry.routeChanged(change, of: ordinal)
        }
        fixture.record("q", .success)
        fixture.record("r", .success)
        fixture.record("q", .failure())
        fixture.record("j", .failure(.heartbeatMissed))
        fixture.emit("a", .up())
        fixture.emit("a", .down(.prohibited))
        fixture.emit("a", .down(.blackhole))
        var resolved = NetworkPath.up()
        resolved.resolution = Resolution(
            state: .complete,
            addresses: [IPAddress(ipv4: 9), IPAddress("2001:db8::1") ?? IPAddress(ipv4: 1)]
        )
        fixture.emit("n", resolved, ChangeTrigger(.resolution))
        resolved.resolution = Resolution(state: .failed, addresses: [IPAddress(ipv4: 9)], error: "timed out")
        fixture.emit("n", resolved, ChangeTrigger(.nextHop))
        for reason in UnsatisfiedReason.allCases { fixture.emit("p", .down(reason), ChangeTrigger(.rule)) }
        fixture.registry.environmentDidChange(NetworkEnvironment(supportsDNS: true))
        fixture.registry.announce(.reloaded(targets: TargetChanges(), settings: ["log.level"]))
        fixture.registry.announce(.rejected(faults: ["x"]))
        return fixture
    }

    @Test("Responses match their schemas")
    func answers() throws {
        let fixture = try busy()
        try expectValid(fixture.json("/status"), "Status")
        try expectValid(fixture.json("/targets?limit=2"), "TargetList")
        try expectValid(fixture.json("/targets?fields=state"), "TargetList")
        try expectValid(fixture.json("/version"), "Version")
        try expectValid(fixture.json("/incidents"), "IncidentList")
        try expectValid(fixture.json("/uplinks"), "UplinkList")
        UplinkRouteTests.fill(fixture.registry)
        try expectValid(fixture.json("/uplinks"), "UplinkList")
        for target in try #require(fixture.json("/targets")["targets"]?.array) { try expectValid(target, "Target") }
        #expect(
            try fixture.json("/targets/d")["last_result"]?.keys.isSuperset(of: ["icmp", "dns", "addresses"]) == true
        )
        try expectValid(fixture.json("/targets/d"), "Target")
        for reason in ProbeReason.allCases {
            fixture.record("q", .failure(reason))
            try expectValid(fixture.json("/targets/q"), "Target")
        }
        for action in ["pause", "resume"] {
            for id in ["a", "q"] {
                try expectValid(JSONValue(parsing: fixture.post("/targets/\(id)/\(action)").bytes), "Target")
            }
        }
        for response in [
            fixture.post("/targets/a/probe"), fixture.post("/targets/q/heartbeat"),
            fixture.post("/targets/a/pause", peer: "192.0.2.1:1"), fixture.post("/targets/a/heartbeat?status=x"),
        ] {
            try expectValid(JSONValue(parsing: response.bytes), "Problem")
        }
        for addresses in [[], TraceRouteTests.routers, ["-", "203.0.113.1"]] {
            let trace = TraceRouteTests.trace(addresses.isEmpty ? .silent : .reached, addresses, at: 1_000)
            fixture.probes.state.withLock { $0.trace = trace }
            try expectValid(JSONValue(parsing: fixture.post("/targets/q/trace").bytes), "TargetTraces")
        }
        let probing = fixture.post("/targets/q/probe")
        fixture.probes.finish(fixture.record("q", .success))
        try expectValid(JSONValue(parsing: try #require(probing.late).bytes), "Target")
        for target in ["/nothing", "/targets/x", "/targets/%", "/status?x=1&%ff=2", "/targets?limit=x&q=%"] {
            try expectValid(fixture.json(target), "Problem")
        }
        try expectValid(JSONValue(parsing: fixture.respond("/status", method: "POST").bytes), "Problem")
        try expectValid(JSONValue(parsing: RequestHandler.refusal(status: 431, detail: "x").bytes), "Problem")
    }

    @Test("Responses to changes match their schemas")
    func changes() throws {
        let fixture = Fixture()
        func expect(_ response: HTTPResponse, _ status: Int, _ schema: String) throws {
            #expect(response.status == status)
            try expectValid(JSONValue(parsing: response.bytes), schema)
        }
        let declaration = #"{"id":"a","host":"a","depends_on":[],"probe":{"type":"tcp","port":1},"tags":{"x":"y"}}"#
        try expectValid(JSONValue(parsing: declaration), "TargetDeclaration")
        try expect(fixture.send("POST", "/targets", declaration), 201, "Target")
        try expect(fixture.send("POST", "/targets", #"{"targets":[{"host":"b"},{"host":"c"}]}"#), 201, "AddedTargets")
        try expect(fixture.send("POST", "/targets", #"{"targets":[]}"#), 200, "AddedTargets")
        try expect(fixture.send("PUT", "/targets/a", #"{"host":"b"}"#), 200, "Target")
        try expect(fixture.send("PATCH", "/targets/a", #"{"group":"b"}"#), 200, "Target")
        for (body, status) in [("{", 400), (#"{"x":1}"#, 422), (#"{"id":"a","host":"a"}"#, 409)] {
            try expect(fixture.send("POST", "/targets", body), status, "Problem")
        }
        try expect(fixture.send("POST", "/targets", "{}", type: "text/plain"), 415, "Problem")
        try expect(fixture.send("DELETE", "/targets/a", headers: [HTTPHeader("If-Match", "x")]), 412, "Problem")
        var report = ReloadOutcome.Report()
        report.added = ["a"]
        for (outcome, status, schema) in [
            (ReloadOutcome.reloaded(report), 200, "Reload"), (.rejected([]), 422, "Problem"),
            (.rejected([Self.fault]), 422, "Problem"),
        ] {
            let fixture = Fixture(wiring: RequestHandler.ServiceDependencies(reload: { outcome }))
            try expect(fixture.send("POST", "/-/reload"), status, schema)
        }
    }

    private static let fault = ReloadOutcome.Fault(pointer: "/a", line: 1, column: 2, code: "syntax", message: "x")

    @Test("Events of every type match their schemas")
    func events() throws {
        let fixture = try busy()
        let keys = ObservedKey.allCases.map { "&key=\($0.rawValue)" }.joined()
        var events = try fixture.stream("?since=\(fixture.id(0))&snapshot=1&options=new,old,prior,initial" + keys)
            .drain()
        events += try fixture.stream("?since=beef-1").drain()
        let small = Fixture(capacity: 2)
        let slow = try small.stream()
        _ = try slow.drain()
        for _ in 0..<5 { small.registry.announce(.rejected(faults: [])) }
        events += try slow.drain()
        let live = try fixture.stream("?include=result")
        for _ in 0..<5000 { fixture.record("q", .success) }
        fixture.record("d", .rich)
        fixture.record("q", .success)
        fixture.registry.emit(.activity(ActivityStatus(state: .active, isVisible: true, count: 1)))
        events += try live.drain()
        let schemas = try #require(
            checker.document[[
                "paths", "/events", "get", "responses", "200", "content", "text/event-stream", "x-events",
            ]]
        )
        // The others are a fleet's.
        #expect(Set(events.map(\.type)) == schemas.keys.subtracting(["vote", "node", "location"]))
        for event in events {
            let faults = checker.faults(try #require(event.data), against: try #require(schemas[event.type]))
            #expect(faults.isEmpty, "\(event.type)")
        }
    }
}
