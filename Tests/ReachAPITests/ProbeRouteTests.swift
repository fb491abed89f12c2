// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Probing
import Synchronization
import Testing

@testable import ReachAPI

@Suite("Actions on probes")
struct ProbeRouteTests {
    let fixture = Fixture(hasProbes: true)

    private func problem(_ response: HTTPResponse) throws -> String? {
        #expect(response.header("Content-Type") == "application/problem+json")
        return try JSONValue(parsing: response.bytes)["type"]?.string?.split(separator: ":").last.map(String.init)
    }

    /// A response that waits for its probe.
    private func waiting(_ response: HTTPResponse) throws -> HTTPResponse {
        guard case .deferred = response.body else { throw Fixture.NoStream(status: response.status) }
        return response
    }

    /// The status and the body of an answer that came later.
    private func end(_ response: HTTPResponse) throws -> (status: Int, body: JSONValue) {
        let late = try #require(response.late)
        return (late.status, try JSONValue(parsing: late.bytes))
    }

    // MARK: Probe now

    @Test("The response to a probe request waits for the result and contains the target")
    func probe() throws {
        fixture.registry.apply(targets: [try .probed("web")])
        fixture.emit("web", .up())
        let response = try waiting(fixture.post("/targets/web/probe"))
        #expect(fixture.probes.waitingFor == ["web"])
        #expect(response.late == nil)
        fixture.probes.finish(fixture.record("web", .failure()))
        let (status, body) = try end(response)
        #expect(status == 200)
        #expect(body["state"] == .string("down"))
        #expect(body["cause"] == .string("target"))
        #expect(body[["last_result", "reason", "code"]] == .string("connect_refused"))
        #expect(body == (try fixture.json("/targets/web")))
        #expect(response.late == nil, "the answer comes twice")
    }

    @Test("503 for a cancelled probe, also when it is cancelled within the call")
    func cancelled() throws {
        fixture.registry.apply(targets: [try .probed("web")])
        let response = try waiting(fixture.post("/targets/web/probe"))
        fixture.probes.finish(nil)
        #expect(try end(response).status == 503)
        fixture.probes.state.withLock { $0.endsAtOnce = true }
        let atOnce = fixture.post("/api/v1/targets/web/probe")
        #expect(atOnce.status == 503)
        #expect(atOnce.header("Retry-After") == "1")
        #expect(try problem(atOnce) == "overloaded")
    }

    @Test("404 for a target that is removed during the probe")
    func removed() throws {
        fixture.registry.apply(targets: [try .probed("web")])
        let response = try waiting(fixture.post("/targets/web/probe"))
        fixture.registry.apply(targets: [])
        fixture.probes.finish(nil)
        let (status, body) = try end(response)
        #expect(status == 404)
        #expect(body["detail"]?.string?.contains("\"web\"") == true)
    }

    @Test("Each client has a limit of pending probe requests; a response frees a slot")
    func bounded() throws {
        fixture.registry.apply(targets: [try .probed("web")])
        func ask(_ peer: String = "127.0.0.1:1") -> HTTPResponse { fixture.post("/targets/web/probe", peer: peer) }
        let responses = try (0..<RequestHandler.probesPerClient).map { _ in try waiting(ask()) }
        #expect(ask().status == 429)
        #expect(ask("127.0.0.1:2").status == 429, "another connection is no other client")
        let other = try waiting(ask("unix"))
        fixture.probes.finish(fixture.record("web", .success))
        #expect(fixture.handler.probeRequests.count == 0)
        for response in responses + [other] { #expect(try end(response).status == 200) }
        #expect(fixture.handler.probeRequests.count == 0)
        _ = try waiting(ask())
    }

    @Test("Targets without a probe and push targets cannot be probed")
    func noProbe() throws {
        fixture.registry.apply(targets: [.address("plain"), try .calling("job")])
        for id in ["plain", "job"] {
            let response = fixture.post("/targets/\(id)/probe")
            #expect(response.status == 409)
            #expect(try problem(response) == "no_probe")
        }
        let without = Fixture()
        without.registry.apply(targets: [try .probed("web"), try .calling("job")])
        #expect(without.post("/targets/web/probe").status == 409)
        #expect(without.post("/targets/job/heartbeat").status == 409)
    }

    @Test("Unknown and malformed ids", arguments: ["probe", "pause", "resume", "heartbeat"])
    func missing(action: String) throws {
        fixture.registry.apply(targets: [try .probed("web")])
        #expect(try problem(fixture.post("/targets/nobody/\(action)")) == "unknown_target")
        #expect(try problem(fixture.post("/targets/%zz/\(action)")) == "bad_encoding")
        #expect(try problem(fixture.post("/targets/web/\(action)?now=1")) == "invalid_parameter")
        #expect(fixture.post("/targets//\(action)").status == 404)
        #expect(fixture.post("/targets/web/\(action)/").status == 404)
        #expect(fixture.post("/targets/web/x/\(action)").status == 404)
    }

    // MARK: Pause and resume

    @Test("A target without a probe can be paused and resumed")
    func pausePlain() throws {
        fixture.registry.apply(targets: [.address("web")])
        fixture.emit("web", .up())
        let stream = try fixture.stream()
        _ = try stream.drain()
        let body = try JSONValue(parsing: fixture.post("/targets/web/pause").bytes)
        #expect(body["state"] == .string("paused"))
        #expect(body[["reason", "code"]] == .string("paused"))
        #expect(body["cause"] == nil)
        #expect(body[["system_configuration", "status"]] == .string("reachable_via_wifi"))
        #expect(body == (try fixture.json("/targets/web")))
        #expect(fixture.respond("/targets/web/health").status == 503)
        #expect(try fixture.json("/status")[["summary", "paused"]] == .number(1))
        // Its path is watched on.
        fixture.emit("web", .down())
        #expect(try fixture.json("/targets/web")["state"] == .string("paused"))
        let resumed = fixture.post("/targets/web/resume")
        #expect(resumed.status == 200)
        #expect(resumed.header("Cache-Control") == "no-store")
        #expect(try JSONValue(parsing: resumed.bytes)["state"] == .string("unreachable"))
        let states = try stream.drain().filter { $0.type == "state" }.compactMap(\.data)
        #expect(states.map { $0["to"]?.string } == ["paused", "unreachable"])
    }

    @Test("Pausing a paused target and resuming an active one emit no event")
    func pauseTwice() throws {
        fixture.registry.apply(targets: [.address("web"), try .probed("api")])
        for id in ["web", "api"] {
            #expect(fixture.post("/targets/\(id)/resume").status == 200)
            _ = fixture.post("/targets/\(id)/pause")
            let sequence = fixture.registry.sequence
            #expect(fixture.post("/targets/\(id)/pause").status == 200)
            #expect(fixture.registry.sequence == sequence)
            _ = fixture.post("/targets/\(id)/resume")
        }
        #expect(try fixture.json("/status")[["summary", "unknown"]] == .number(2))
    }

    @Test("A paused target keeps its last result, which does not affect its state")
    func pauseProbed() throws {
        fixture.registry.apply(targets: [try .probed("web")])
        fixture.emit("web", .up())
        fixture.record("web", .success)
        #expect(fixture.respond("/targets/web/health").status == 200)
        let body = try JSONValue(parsing: fixture.post("/targets/web/pause").bytes)
        #expect(body["state"] == .string("paused"))
        #expect(body[["last_result", "success"]] == .boolean(true))
        fixture.record("web", .failure())
        #expect(try fixture.json("/targets/web")["state"] == .string("paused"))
        #expect(try fixture.json("/targets/web")[["last_result", "success"]] == .boolean(false))
        _ = fixture.post("/targets/web/resume")
        fixture.record("web", .success)
        #expect(try fixture.json("/targets/web")["state"] == .string("up"))
    }

    // MARK: Heartbeats

    @Test("A heartbeat is forwarded with its content")
    func heartbeat() throws {
        fixture.registry.apply(targets: [try .calling("job")])
        for query in ["", "?status=ok&detail=42%20files", "?status=fail&detail=disk+full", "?status=fail", "?detail="] {
            let response = fixture.post("/targets/job/heartbeat" + query)
            #expect(response.status == 204)
            #expect(response.bytes.isEmpty)
            #expect(response.header("Cache-Control") == "no-store")
        }
        let results = fixture.probes.state.withLock { $0.heartbeats.map(\.result) }
        #expect(results.map(\.outcome) == [.success, .success, .failure, .failure, .success])
        #expect(results.map(\.reason) == [nil, nil, .heartbeatFailed, .heartbeatFailed, nil])
        #expect(
            results.map(\.detail) == [
                "the target called", "42 files", "disk full", "the target reported a failure", "the target called",
            ]
        )
    }

    @Test("The response to a heartbeat follows its evaluation, or reports that it does not count")
    func heartbeatAnswer() throws {
        fixture.registry.apply(targets: [try .calling("job")])
        fixture.probes.state.withLock { $0.holdsHeartbeats = true }
        let waiting = (0..<3).map { _ in fixture.post("/targets/job/heartbeat") }
        for response in waiting { #expect(response.late == nil) }
        func end(_ number: Int, with report: ProbeReport?) throws -> HTTPResponse {
            let (_, completion) = fixture.probes.state.withLock { $0.waiting.removeFirst() }
            completion(report)
            return try #require(waiting[number].late)
        }
        let judged = try end(0, with: ProbeReport(.success, at: Timestamp(milliseconds: 0), lag: .zero, diagnosis: nil))
        #expect(judged.status == 204 && judged.header("Cache-Control") == "no-store")
        let ending = try end(1, with: nil)
        #expect(ending.status == 503 && ending.header("Retry-After") == "1")
        #expect(try problem(ending) == "overloaded")
        fixture.registry.apply(targets: [])
        #expect(try end(2, with: nil).status == 404)
    }

    @Test(
        "The message of a heartbeat becomes one short line",
        arguments: [
            ("x%E2%80%AEy%E2%80%A9+z", "x y z"), ("%E2%80%A8", nil), ("a%C2%85b", "a b"),
            (String(repeating: "a", count: 1000), String(repeating: "a", count: 200)),
            // One character, for those who count characters.
            ("e" + String(repeating: "%CC%81", count: 1000), "e" + String(repeating: "\u{301}", count: 199)),
            ("%22%5C%3C/script%3E", #""\</script>"#),
        ] as [(String, String?)]
    )
    func heartbeatDetail(text: String, expected: String?) throws {
        fixture.registry.apply(targets: [try .calling("job")])
        #expect(fixture.post("/targets/job/heartbeat?status=fail&detail=" + text).status == 204)
        let result = try #require(fixture.probes.state.withLock { $0.heartbeats.last?.result })
        #expect(Array(result.detail.utf8) == Array((expected ?? "the target reported a failure").utf8))
        fixture.record("job", result)
        let body = try fixture.json("/targets/job")
        #expect(body[["last_result", "reason", "detail"]]?.string == result.detail)
        #expect(body[["reason", "code"]]?.string == "heartbeat_failed")
    }

    @Test(
        "An unreadable heartbeat changes nothing",
        arguments: [
            "status=", "status=OK", "status=ok&status=fail", "detail=a&detail=b", "detail=%ff", "detail=a%0Ab",
            "detail=%1B[31m", "state=ok",
        ]
    )
    func badHeartbeat(query: String) throws {
        fixture.registry.apply(targets: [try .calling("job")])
        let response = fixture.post("/targets/job/heartbeat?" + query)
        #expect(response.status == 400)
        #expect(try problem(response) == "invalid_parameter")
        #expect(fixture.probes.state.withLock { $0.heartbeats.isEmpty })
    }

    @Test("A heartbeat for a target without a push probe is refused")
    func strangeHeartbeat() throws {
        fixture.registry.apply(targets: [try .probed("web"), .address("plain")])
        for id in ["web", "plain"] {
            #expect(try problem(fixture.post("/targets/\(id)/heartbeat")) == "no_probe")
        }
    }
}
