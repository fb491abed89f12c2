// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import HTTPServer
import MonitoringTestSupport
import NetworkPaths
import Synchronization
import Testing

import struct HTTPServer.HTTPHeader

@testable import Monitoring
@testable import Probing
@testable import ReachAPI

@Suite("Targets with a probe")
struct ProbedTargetTests {
    let fixture: Fixture

    init() throws {
        fixture = Fixture(hasProbes: true)
        fixture.tellNetwork(.up())
        fixture.registry.apply(targets: [try .probed("web")])
        fixture.emit("web", .up())
    }

    @Test("The members that a probe adds to a target, byte for byte")
    func bytes() throws {
        fixture.record("web", .success)
        fixture.clock.advance(milliseconds: 5000)
        fixture.record("web", .slow)
        let text = fixture.respond("/targets/web").text
        let beginning = #"""
            {"id":"web","name":"web","state":"degraded","since":"2026-11-18T11:06:45.123Z",\#
            "reason":{"code":"too_slow","detail":"took longer than 0.5 seconds"},"cause":"target",\#
            "decision":{"basis":"probe","rule":"nothing_failed"},"kind":"address","address":"198.51.100.1",\#
            "tags":{},"probe":{"type":"tcp","interval_seconds":10,"port":443,"timeout_seconds":2,"fall":1,\#
            "rise":1,"confirm_interval_seconds":5},"origin":"config",\#
            "last_result":{"at":"2026-11-18T11:06:45.123Z","success":true,"outcome":"degraded",\#
            "reason":{"code":"too_slow","detail":"took longer than 0.5 seconds"},"cause":"target",\#
            "duration_seconds":0.7},"path":{
            """#
        #expect(text.hasPrefix(beginning), "\(text)")
        let advice = #","advice":"See which part is slow: reachd check 198.51.100.1:443 shows its phases."}"#
        #expect(text.hasSuffix(advice))
    }

    @Test("A single target shows when its next probe is due, with another validator; lists and events do not")
    func nextProbe() throws {
        let checker = SchemaChecker(document: try OpenAPIDocument.load())
        let schema = try #require(checker.document[["components", "schemas", "Target"]])
        let stream = try fixture.stream()
        fixture.record("web", .success)
        #expect(try fixture.json("/targets/web")["next_probe_at"] == nil)
        let old = try #require(fixture.respond("/targets/web").header("ETag"))
        fixture.probes.state.withLock { $0.nextProbes["web"] = Timestamp(milliseconds: 1_795_000_010_000) }
        let body = try fixture.json("/targets/web")
        #expect(body["next_probe_at"] == .string("2026-11-18T11:06:50.000Z"))
        #expect(checker.faults(body, against: schema).isEmpty)
        let new = try #require(fixture.respond("/targets/web").header("ETag"))
        #expect(new != old)
        #expect(fixture.respond("/targets/web", headers: [HTTPHeader("If-None-Match", old)]).status == 200)
        #expect(fixture.respond("/targets/web", headers: [HTTPHeader("If-None-Match", new)]).status == 304)
        #expect(!fixture.respond("/targets").text.contains("next_probe_at"))
        fixture.emit("web", .down())
        let events = try stream.drain()
        #expect(events.count > 1 && !events.contains { "\($0)".contains("next_probe_at") })
    }

    @Test("A target that hides its address shows it in no route and no event")
    func hiddenAddress() throws {
        let target =
            #"{"id":"secret","name":"Secret","hide_address":true,"host":"vault.test","port":4433,"#
            + #""probe":{"type":"http","url":"https://vault.test:4433/a?token=opensesame"}}"#
        let stream = try fixture.stream()
        let changes = try fixture.stream("?key=path&key=resolution&options=new,old&target=secret")
        _ = try stream.drain()
        let created = fixture.send("POST", "/targets", target)
        #expect(created.status == 201, "\(created.text)")
        var path = NetworkPath.up()
        path.resolution = Resolution(
            state: .complete,
            addresses: [try #require(IPAddress("203.0.113.77"))],
            error: "vault.test: x"
        )
        fixture.emit("secret", path)
        var other = path
        other.resolution.addresses = [try #require(IPAddress("203.0.113.78"))]
        for path in [other, .down(), path] { fixture.emit("secret", path) }
        let failure = ProbeResult(
            outcome: .failure,
            reason: .connectRefused,
            detail: "vault.test (203.0.113.77) port 4433 refuses",
            duration: .seconds(1),
            address: IPAddress("203.0.113.77"),
            addresses: []
        )
        for _ in 1...3 { fixture.record("secret", failure) }
        #expect(
            fixture.send("PATCH", "/targets/secret", #"{"group":"g"}"#, type: "application/merge-patch+json").status
                == 200
        )
        var texts = [
            "/targets/secret", "/targets", "/targets?fields=id,host,address,probe,last_result,resolution,port",
            "/metrics",
            "/targets/secret/badge.svg", "/targets/secret/health", "/status",
        ].map { fixture.respond($0).text }
        texts.append(created.text)
        // What the log's file has, and replays are made of.
        for event in fixture.registry.recordedEvents(after: 0, limit: 1_000).events {
            texts.append(String(decoding: event.data + event.supplement, as: UTF8.self))
        }
        texts += try (stream.drain() + changes.drain()).map { "\($0)" }
        for text in texts {
            for word in ["vault.test", "203.0.113.", "4433", "opensesame", "/a"] where text.contains(word) {
                // The paths of schemas and routes are nobody's secret.
                guard word != "/a" else { continue }
                Issue.record("\(word) is shown: \(text.prefix(600))")
            }
        }
        let body = try fixture.json("/targets/secret")
        #expect(body["hide_address"] == .boolean(true) && body[["probe", "type"]] == .string("http"))
        #expect(body[["reason", "detail"]] == .string("connect refused"))
        // A search does not find what is not shown.
        #expect(!fixture.respond("/targets?q=vault").text.contains("secret"))
        #expect(fixture.send("POST", "/targets", #"{"hide_address":true,"host":"other.test"}"#).status == 422)
    }

    @Test("Before the first result the state is unknown")
    func notProbed() throws {
        let body = try fixture.json("/targets/web")
        #expect(body[["system_configuration", "status"]] == .string("reachable_via_wifi"))
        #expect(body["state"] == .string("unknown"))
        #expect(body[["reason", "code"]] == .string("not_probed"))
        #expect(body[["reason", "detail"]] == .string("Waiting for the first result."))
        #expect(body["cause"] == nil)
        #expect(body["last_result"] == nil)
    }

    struct Case: Sendable {
        var result: ProbeResult
        var lag: Duration = .zero
        let state: String
        let cause: String?
        let health: Int
    }

    @Test(
        "The state has a cause, and health follows the state",
        arguments: [
            Case(result: .success, state: "up", cause: nil, health: 200),
            Case(result: .slow, state: "degraded", cause: "target", health: 200),
            Case(result: .failure(.connectRefused), state: "down", cause: "target", health: 503),
            Case(result: .failure(.timeout), state: "down", cause: "target", health: 503),
            Case(result: .failure(.unexpectedResponse), state: "down", cause: "target", health: 503),
            Case(result: .failure(.nameServerFailure), state: "unreachable", cause: "dns", health: 503),
            Case(result: .failure(.outOfDescriptors), state: "unknown", cause: "self", health: 503),
            Case(result: .failure(.timeout), lag: .seconds(2), state: "unknown", cause: "self", health: 503),
        ]
    )
    func states(_ example: Case) throws {
        fixture.record("web", .success)
        fixture.record("web", example.result, lag: example.lag)
        let body = try fixture.json("/targets/web")
        #expect(body["state"]?.string == example.state)
        #expect(body["cause"]?.string == example.cause)
        let health = fixture.respond("/targets/web/health")
        #expect(health.status == example.health)
        #expect(try JSONValue(parsing: health.bytes) == body)
        #expect(try fixture.json("/status")[["summary", example.state]] == .number(1))
        #expect(try fixture.json("/targets?state=\(example.state)")["total"] == .number(1))
        for condition in ["down", "unreachable", "degraded", "unknown"] {
            let status = fixture.respond("/status?fail_on=\(condition)").status
            #expect(status == (condition == example.state ? 503 : 200))
        }
    }

    @Test("A new cause in the same state is an event, but not a change of the key `state`")
    func movingFault() throws {
        fixture.record("web", .failure(.nameServerFailure))
        let stream = try fixture.stream("?key=state&options=new,old")
        _ = try stream.drain()
        let since = try fixture.json("/targets/web")["since"]
        fixture.clock.advance(milliseconds: 1000)
        fixture.record("web", .failure(.timeout), gateway: .silent)
        let events = try stream.drain()
        #expect(events.map(\.type) == ["state"])
        #expect(events[0].data?["from"] == .string("unreachable"))
        #expect(events[0].data?["to"] == .string("unreachable"))
        #expect(events[0].data?["cause"] == .string("local_network"))
        #expect(try fixture.json("/targets/web")["since"] == since)
        fixture.record("web", .failure(.timeout), gateway: .answers)
        #expect(try stream.drain().map(\.type) == ["change", "state"])
    }

    @Test("A router's report: cause path, and its address, role, distance, type and code in the body and the event")
    func offender() throws {
        fixture.record("web", .success)
        let stream = try fixture.stream("")
        _ = try stream.drain()
        fixture.record("web", .rejected)
        let body = try fixture.json("/targets/web")
        let event = try #require(try stream.drain().last { $0.type == "state" }?.data)
        for reason in [body["reason"], body[["last_result", "reason"]], event["reason"]] {
            let offender = try #require(reason?["offender"])
            #expect(offender["address"] == .string("203.0.113.2"))
            #expect(offender["role"] == .string("router"))
            #expect(offender["hops"] == .number(2))
            #expect(offender["icmp_type"] == .number(3) && offender["icmp_code"] == .number(0))
            #expect(offender["message"] == .string("no route to the network"))
        }
        #expect(body["cause"] == .string("path") && event["cause"] == .string("path"))
        #expect(body["state"] == .string("unreachable"))
        // A timeout does not contradict the report, an answer ends it.
        fixture.record("web", .failure(.timeout))
        #expect(try fixture.json("/targets/web")["cause"] == .string("path"))
        fixture.record("web", .success)
        fixture.record("web", .failure(.timeout))
        #expect(try fixture.json("/targets/web")["cause"] == .string("target"))
    }

    @Test("A hidden target's report shows the role and the message, and neither address nor distance")
    func hiddenOffender() throws {
        let target =
            #"{"id":"secret","hide_address":true,"host":"vault.test","probe":{"type":"tcp","port":1,"fall":1}}"#
        #expect(fixture.send("POST", "/targets", target).status == 201)
        fixture.emit("secret", .up())
        fixture.record("secret", .rejected)
        let body = try fixture.json("/targets/secret")
        #expect(body["cause"] == .string("path"))
        let offender = try #require(body[["reason", "offender"]])
        #expect(offender["role"] == .string("router") && offender["message"] != nil)
        #expect(offender["address"] == nil && offender["hops"] == nil)
        #expect(!fixture.respond("/targets/secret").text.contains("203.0.113.2"))
    }

    @Test("Without a path the target is unreachable at once and keeps its last result")
    func pathLost() throws {
        fixture.record("web", .success)
        fixture.emit("web", .down(.noCarrier))
        var body = try fixture.json("/targets/web")
        #expect(body["state"] == .string("unreachable"))
        #expect(body["cause"] == .string("local_network"))
        #expect(body[["reason", "code"]] == .string("no_carrier"))
        #expect(body[["last_result", "success"]] == .boolean(true))
        #expect(fixture.respond("/status?fail_on=down").status == 200)
        #expect(fixture.respond("/status?fail_on=unreachable").status == 503)
        fixture.emit("web", .up())
        fixture.record("web", .success)
        body = try fixture.json("/targets/web")
        #expect(body["state"] == .string("up"))
    }

    @Test("A dependent of a target that is down is unreachable and names that target")
    func parent() throws {
        fixture.registry.apply(targets: [try .probed("web"), try .probed("shop", dependsOn: ["web"])])
        fixture.emit("shop", .up())
        fixture.record("shop", .success)
        fixture.record("web", .failure())
        let body = try fixture.json("/targets/shop")
        #expect(body["depends_on"] == .array([.string("web")]))
        #expect(body["state"] == .string("unreachable"))
        #expect(body["cause"] == .string("parent"))
        #expect(body["reason"]?["code"] == .string("parent_down"))
        #expect(body[["reason", "detail"]]?.string?.contains("web") == true)
        #expect(fixture.respond("/targets/shop/health").status == 503)
    }

    @Test("A maintenance window overrides every state and has no cause")
    func maintenance() throws {
        fixture.record("web", .failure())
        fixture.registry.setMaintenance(true, target: "web")
        let body = try fixture.json("/targets/web")
        #expect(body["state"] == .string("maintenance"))
        #expect(body["cause"] == nil)
        #expect(body[["reason", "code"]] == .string("maintenance"))
        #expect(body[["last_result", "outcome"]] == .string("failure"))
        #expect(fixture.respond("/targets/web/health").status == 503)
        #expect(fixture.respond("/status?fail_on=down,unreachable,degraded,unknown").status == 200)
    }

    @Test("An unconfirmed change is pending")
    func pending() throws {
        var web = try TargetSettings.probed("web")
        let request = try #require(web.probe?.method)
        web.probe = ProbePlan(request, verdict: try VerdictSettings(fall: 3, rise: 2))
        fixture.registry.apply(targets: [web])
        fixture.record("web", .success)
        fixture.record("web", .failure())
        fixture.record("web", .failure())
        let body = try fixture.json("/targets/web")
        #expect(body["state"] == .string("up"))
        #expect(
            body["pending"]
                == .object(["toward": .string("down"), "count": .number(2), "of": .number(3)])
        )
        #expect(body[["last_result", "success"]] == .boolean(false))
    }

    @Test("fields selects members of a probe")
    func fields() throws {
        fixture.record("web", .success)
        let list = try fixture.json("/targets?fields=probe,last_result,pending,is_flapping,depends_on")
        #expect(list["targets"]?.array?.first?.keys == ["id", "probe", "last_result"])
    }

    @Test("A reply of a name server cannot make the body long")
    func longAnswers() throws {
        let record = DNSRecord(
            name: String(repeating: "n", count: 255),
            type: .a,
            timeToLive: 1,
            data: String(repeating: "\u{1}", count: 60_000)
        )
        var result = ProbeResult.rich
        result.answers = ProbeAnswers([
            DNSAnswer(
                code: .noError,
                isAuthoritative: false,
                answers: Array(repeating: record, count: 256),
                timeToLive: 1,
                authorityCount: 0,
                additionalCount: 0
            )
        ])
        fixture.record("web", result)
        let body = fixture.respond("/targets/web")
        #expect(body.bytes.count < 40_000)
        #expect(try JSONValue(parsing: body.bytes)[["last_result", "dns", "answers"]]?.array?.count == 16)
    }

    @Test("A clock offset can be negative")
    func differences() throws {
        for (offset, shown) in [(-1_500, -1.5), (-250, -0.25), (20, 0.02), (0, 0)] as [(Int64, Double)] {
            fixture.record("web", try .time(offset: offset))
            let answer = try fixture.json("/targets/web")[["last_result", "ntp"]]
            #expect(
                answer
                    == .object([
                        "offset_seconds": .number(shown), "delay_seconds": .number(0), "stratum": .number(2),
                        "root_delay_seconds": .number(0.25), "root_dispersion_seconds": .number(1.5),
                        "leap": .string("none"), "source": .string("192.0.2.9"),
                    ])
            )
        }
    }

    @Test("Probe settings are shown by kind; queries are hidden, because they may contain tokens")
    func kinds() throws {
        let url = try HTTPURL("https://shop.example.org:8443/health?token=secret")
        fixture.registry.apply(targets: [
            try .probed("h", by: .http(HTTPProbeSettings(url: url, method: "POST"))),
            try .probed("g", by: .grpc(GRPCProbeSettings(port: 50051, tls: nil, service: "a.B"))),
            try .probed("s", by: .tls(TLSProbeSettings(port: 993))),
        ])
        var probe = try fixture.json("/targets/h")["probe"]
        #expect(probe?["type"] == .string("http"))
        #expect(probe?["url"] == .string("https://shop.example.org:8443/health"))
        #expect(probe?["method"] == .string("POST"))
        var result = ProbeResult.rich
        result.answers = ProbeAnswers([
            HTTPAnswer(
                status: 200,
                version: "2",
                bodySize: 5,
                isBodyComplete: true,
                contentType: nil,
                redirects: 0,
                url: "https://shop.example.org/in?session=secret#x"
            )
        ])
        fixture.record("h", result)
        #expect(!fixture.respond("/targets").text.contains("secret"))
        #expect(
            try fixture.json("/targets/h")[["last_result", "http"]]
                == .object([
                    "status": .number(200), "version": .string("2"), "body_bytes": .number(5),
                    "url": .string("https://shop.example.org/in"),
                ])
        )
        probe = try fixture.json("/targets/g")["probe"]
        #expect(probe?["port"] == .number(50051))
        #expect(probe?["service"] == .string("a.B"))
        #expect(try fixture.json("/targets/s")[["probe", "port"]] == .number(993))
    }

    @Test("A new certificate is an event")
    func certificate() throws {
        fixture.record("web", .rich)
        let stream = try fixture.stream("?event=certificate&target=web")
        _ = try stream.drain()
        fixture.record("web", .rich)
        #expect(try stream.drain().isEmpty)
        let renewed = ProbeResult.rich(showing: "cc")
        fixture.record("web", renewed)
        let events = try stream.drain()
        #expect(events.map(\.type) == ["certificate"])
        #expect(events[0].id != nil)
        #expect(events[0].data?["target"] == .string("web"))
        #expect(events[0].data?[["old", "fingerprint_sha256"]] == .string("aa"))
        #expect(events[0].data?[["new", "fingerprint_sha256"]] == .string("cc"))
        #expect(events[0].data?[["new", "not_after"]] == .string("2030-03-17T17:46:40.000Z"))
        #expect(events[0].data?["changed"] == .array([.string("fingerprint")]))
        #expect(events[0].data?["names_added"] == .array([]))
    }

    // MARK: Validators

    @Test("A new result changes the validators without an event")
    func validators() throws {
        fixture.registry.apply(targets: [try .probed("web"), .address("other")])
        fixture.record("web", .success)
        fixture.record("web", .success)
        let sequence = fixture.registry.sequence
        let paths = ["/status", "/targets", "/targets?limit=1", "/targets/web", "/targets/web/health"]
        func known() -> [HTTPHeader] {
            paths.map { HTTPHeader("If-None-Match", fixture.respond($0).header("ETag") ?? "") }
        }
        let before = known()
        let other = HTTPHeader("If-None-Match", fixture.respond("/targets/other").header("ETag") ?? "")
        for (path, field) in zip(paths, before) { #expect(fixture.respond(path, headers: [field]).status == 304) }
        fixture.record("web", .success)
        #expect(fixture.registry.sequence == sequence)
        for (path, field) in zip(paths, before) {
            #expect(fixture.respond(path, headers: [field]).status == 200, "\(path)")
        }
        #expect(fixture.respond("/targets/other", headers: [other]).status == 304)
        #expect(Set(zip(before, known()).map { $0.value == $1.value }) == [false])
    }

    @Test("Different responses of a target have different validators")
    func validatorsAreUnique() throws {
        var bodies: [String: String] = [:]
        for step in 0..<50 {
            switch step % 5 {
            case 0, 1: fixture.record("web", .success)
            case 2: fixture.record("web", .failure())
            case 3: fixture.emit("web", .down())
            default: fixture.emit("web", .up())
            }
            fixture.clock.advance(milliseconds: 10)
            for path in ["/targets/web", "/targets"] {
                let response = fixture.respond(path)
                let key = path + (response.header("ETag") ?? "")
                #expect(bodies.updateValue(response.text, forKey: key) == nil)
            }
        }
    }

    // MARK: Status

    @Test("/status reports activity, the schedule and the anchors")
    func status() throws {
        fixture.registry.setAnchors(["web", "nobody"], quorum: 2)
        fixture.record("web", .failure())
        fixture.probes.state.withLock { state in
            state.activity = ActivityStatus(state: .active, isVisible: true, count: 3)
            state.statistics.started = 7
            state.statistics.finished = 4
            state.statistics.missed = 1
            state.statistics.suspensions = 2
            state.statistics.medianLag = .microseconds(40)
            state.statistics.lag99 = .microseconds(1500)
            state.statistics.longestLag = .seconds(2)
        }
        #expect(
            fixture.respond("/status").text.hasSuffix(
                #""activity":{"state":"active","visible":true,"count":3},"#
                    + #""probing":{"started":7,"finished":4,"missed":1,"suspensions":2,"#
                    + #""lag":{"p50_seconds":0.00004,"p99_seconds":0.0015,"max_seconds":2}},"#
                    + #""history":{"state":"off"},"notifications":[],"#
                    + #""anchors":{"up":0,"down":1,"total":2,"quorum":2,"is_internet_down":true}}"#
            )
        )
        fixture.registry.setAnchors([], quorum: 1)
        fixture.uptime.nanoseconds = 1_000_000_000
        #expect(try fixture.json("/status")["anchors"] == nil)
    }

    @Test("Activity changes the validator of /status")
    func activity() throws {
        let idle = fixture.respond("/status").header("ETag") ?? ""
        fixture.probes.state.withLock { $0.activity = ActivityStatus(state: .active, isVisible: true, count: 1) }
        let busy = fixture.respond("/status", headers: [HTTPHeader("If-None-Match", idle)])
        #expect(busy.status == 200)
        #expect(try JSONValue(parsing: busy.bytes)[["activity", "state"]] == .string("active"))
        let known = HTTPHeader("If-None-Match", busy.header("ETag") ?? "")
        #expect(fixture.respond("/status", headers: [known]).status == 304)
        fixture.probes.state.withLock { $0.activity = .idle }
        #expect(fixture.respond("/status", headers: [known]).status == 200)
        #expect(fixture.respond("/status", headers: [HTTPHeader("If-None-Match", idle)]).status == 304)
    }
}
