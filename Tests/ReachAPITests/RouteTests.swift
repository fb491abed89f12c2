// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Synchronization
import Testing

@testable import ReachAPI

@Suite("The routes")
struct RouteTests {
    let fixture = Fixture()

    private let systemWhileUp =
        #""system_configuration":{"status":"reachable_via_wifi","status_code":2,"reachable":true,"#
        + #""reachable_via_wwan":false,"reachable_via_wifi":true,"#
        + #""flags":{"value":2,"names":["reachable"],"text":"-R -------"}}"#

    private let pathWhileUp =
        #""path":{"status":"satisfied","interface":{"name":"eth0","index":2,"type":"wired_ethernet"},"#
        + #""source_address":"192.0.2.7","gateway":"192.0.2.1","is_expensive":false,"is_constrained":false,"#
        + #""supports_ipv4":true,"supports_ipv6":false,"supports_dns":false,"generation":1},"#
        + #""resolution":{"state":"not_needed","addresses":[]}"#

    @Test("GET /status, byte for byte")
    func status() {
        fixture.tellNetwork(.up())
        fixture.registry.apply(targets: [.address("a", "198.51.100.1"), .address("b", "198.51.100.2")])
        fixture.emit("a", .down())
        fixture.uptime.nanoseconds = 12_345_678_901
        let response = fixture.respond("/status")
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == "application/json")
        #expect(response.header("Cache-Control") == "no-cache")
        #expect(response.header("ETag") == #"W/"abcd-5""#)
        #expect(
            response.text
                == #"{"service":{"name":"reachd","version":"0.1.0","started_at":"2026-11-18T11:06:40.000Z","#
                + #""uptime_seconds":12.345},"epoch":"abcd","sequence":5,"generated_at":"2026-11-18T11:06:40.123Z","#
                + #""network":{"since":"2026-11-18T11:06:40.123Z","resolvers":[],\#(pathWhileUp),\#(systemWhileUp)},"#
                + #""summary":{"unknown":1,"up":0,"degraded":0,"down":0,"unreachable":1,"#
                + #""paused":0,"maintenance":0,"total":2},"#
                + #""activity":{"state":"not_active","visible":false,"count":0},"history":{"state":"off"},"notifications":[]}"#
        )
    }

    @Test("GET /targets/{id}, byte for byte, up and not")
    func target() {
        var web = TargetSettings.address("web", group: "edge", tags: ["b": "2", "a": "1"])
        web.name = "The \"web\""
        web.port = 443
        fixture.registry.apply(targets: [web])
        fixture.emit("web", .up())
        let head = #"{"id":"web","name":"The \"web\"","#
        let declaration =
            #""kind":"address","address":"198.51.100.1","port":443,"group":"edge","#
            + #""tags":{"a":"1","b":"2"},"origin":"config","#
        #expect(
            fixture.respond("/targets/web").text
                == head + #""state":"up","since":"2026-11-18T11:06:40.123Z","# + declaration + pathWhileUp
                + #","sequence":3,"# + systemWhileUp + "}"
        )
        fixture.clock.advance(milliseconds: 1000)
        fixture.emit("web", .down(.noCarrier))
        #expect(
            fixture.respond("/targets/web").text
                == head + #""state":"unreachable","since":"2026-11-18T11:06:41.123Z","#
                + #""reason":{"code":"no_carrier","detail":"The outgoing interface has no carrier."},"#
                + #""cause":"local_network","# + declaration
                + #""path":{"status":"unsatisfied","unsatisfied_reason":"no_carrier","is_expensive":false,"#
                + #""is_constrained":false,"supports_ipv4":false,"supports_ipv6":false,"supports_dns":false,"#
                + #""generation":3},"resolution":{"state":"not_needed","addresses":[]},"sequence":6,"#
                + #""system_configuration":{"status":"not_reachable","status_code":0,"reachable":false,"#
                + #""reachable_via_wwan":false,"reachable_via_wifi":false,"#
                + #""flags":{"value":0,"names":[],"text":"-- -------"}},"#
                + #""advice":"Check the cable of the interface and the port of the switch."}"#
        )
    }

    @Test("R7: before the first verdict the status is unknown and unknown members are absent")
    func unknown() {
        fixture.registry.apply(targets: [.address("web")])
        #expect(
            fixture.respond("/targets/web").text
                == #"{"id":"web","name":"web","state":"unknown","since":"2026-11-18T11:06:40.123Z","#
                + #""reason":{"code":"not_evaluated","detail":"The target is not evaluated yet."},"cause":"self","#
                + #""kind":"address","address":"198.51.100.1","tags":{},"origin":"config","sequence":1,"#
                + #""system_configuration":{"status":"unknown","status_code":-1,"reachable":false,"#
                + #""reachable_via_wwan":false,"reachable_via_wifi":false}}"#
        )
    }

    @Test("Every kind of target shows its declaration")
    func kinds() throws {
        let requests: [(PathTarget, [String: JSONValue])] = [
            (.name("example.net"), ["kind": .string("name"), "host": .string("example.net")]),
            (
                .address(IPAddress(ipv4: 1), interface: "eth1"),
                ["kind": .string("address"), "address": .string("0.0.0.1"), "bound_interface": .string("eth1")]
            ),
            (
                .pair(local: IPAddress(ipv4: 2), remote: IPAddress(ipv4: 3)),
                [
                    "kind": .string("address_pair"), "address": .string("0.0.0.3"),
                    "local_address": .string("0.0.0.2"),
                ]
            ),
            (
                .defaultPath(family: .ipv6, interface: "eth1"),
                ["kind": .string("default"), "family": .string("ipv6"), "bound_interface": .string("eth1")]
            ),
        ]
        for (index, (target, wanted)) in requests.enumerated() {
            let settings = TargetSettings(
                id: "t\(index)",
                request: PathRequest(target, mark: 7),
                text: "x",
                origin: .config
            )
            fixture.registry.apply(targets: [settings])
            let body = try fixture.json("/targets/t\(index)")
            for (name, value) in wanted { #expect(body[name] == value) }
            #expect(body["mark"] == .number(7))
        }
    }

    @Test("A name without addresses has cause dns; a pessimistic name without an answer is pending")
    func names() throws {
        let name = TargetSettings(
            id: "n",
            request: PathRequest(.name("nowhere.example"), nameEvaluation: .pessimistic),
            text: "nowhere.example",
            origin: .config
        )
        fixture.registry.apply(targets: [name])
        fixture.emit("n", NetworkPath(flags: [], resolution: Resolution(state: .pending)))
        var body = try fixture.json("/targets/n")
        #expect(body["state"] == .string("unknown"))
        #expect(body[["system_configuration", "status"]] == .string("unknown"))
        #expect(body[["reason", "code"]] == .string("not_evaluated"))
        #expect(body["cause"] == .string("dns"))
        var path = NetworkPath.down(.nameUnresolved)
        path.resolution = Resolution(state: .failed, error: "NXDOMAIN")
        fixture.emit("n", path)
        body = try fixture.json("/targets/n")
        #expect(body["state"] == .string("unreachable"))
        #expect(body["cause"] == .string("dns"))
        #expect(body[["resolution", "error"]] == .string("NXDOMAIN"))
    }

    @Test(
        "fail_on answers 503 with the same body when its condition holds",
        arguments: [
            ("network", 200), ("down", 200), ("unreachable", 503), ("unknown", 503), ("degraded", 200),
            ("down,unreachable", 503), ("", 200), ("network,down,degraded", 200),
        ] as [(String, Int)]
    )
    func failOn(conditions: String, status: Int) {
        fixture.tellNetwork(.up())
        fixture.registry.apply(targets: [.address("a", "198.51.100.1"), .address("b", "198.51.100.2")])
        fixture.emit("a", .down())
        let response = fixture.respond("/status?fail_on=\(conditions)")
        #expect(response.status == status)
        #expect(response.text == fixture.respond("/status").text)
    }

    @Test("fail_on=network counts a network without a verdict")
    func failOnNetwork() {
        #expect(fixture.respond("/status?fail_on=network").status == 503)
        fixture.tellNetwork(.up())
        #expect(fixture.respond("/status?fail_on=network").status == 200)
        fixture.tellNetwork(.down())
        #expect(fixture.respond("/status?fail_on=network").status == 503)
        let known = HTTPHeader("If-None-Match", "*")
        #expect(fixture.respond("/status?fail_on=network", headers: [known]).status == 503)
    }

    @Test("/status is rendered once per event and second")
    func statusIsShared() throws {
        func body() throws -> PreparedBody {
            guard case .prepared(let body) = fixture.respond("/status").body else { throw Fixture.NoStream(status: 0) }
            return body
        }
        let first = try body()
        #expect(try body() === first)
        fixture.uptime.nanoseconds = 999_999_999
        #expect(try body() === first)
        fixture.uptime.nanoseconds = 1_000_000_000
        let second = try body()
        #expect(second !== first)
        fixture.tellNetwork(.up())
        #expect(try body() !== second)
    }

    @Test("/targets/{id} is rendered once per change, for all routes")
    func targetIsShared() throws {
        fixture.registry.apply(targets: (0..<1500).map { .address("t\($0)") })
        func body(_ path: String) throws -> PreparedBody {
            guard case .prepared(let body) = fixture.respond(path).body else { throw Fixture.NoStream(status: 0) }
            return body
        }
        let first = try body("/targets/t1")
        #expect(try body("/targets/t1/health") === first)
        #expect(try body("/targets/t%31") === first)
        for index in 2..<600 { _ = try body("/targets/t\(index)") }
        #expect(try body("/targets/t1") === first)
        for index in 2..<1500 { _ = try body("/targets/t\(index)") }
        #expect(try body("/targets/t1") !== first)
    }

    @Test("The status of the health route follows the state")
    func health() {
        fixture.registry.apply(targets: [.address("web")])
        #expect(fixture.respond("/targets/web/health").status == 503)
        fixture.emit("web", .up())
        #expect(fixture.respond("/targets/web/health").status == 200)
        fixture.emit("web", .down())
        let response = fixture.respond("/targets/web/health")
        #expect(response.status == 503)
        #expect(response.text == fixture.respond("/targets/web").text)
    }

    @Test("Readiness waits for every first verdict; liveness does not")
    func probes() {
        #expect(fixture.respond("/livez").text == #"{"status":"ok"}"#)
        #expect(fixture.respond("/healthz").status == 200)
        #expect(fixture.respond("/readyz").status == 503)
        fixture.registry.apply(targets: [.address("web")])
        fixture.tellNetwork(.down())
        #expect(fixture.respond("/readyz").text == #"{"status":"starting","waiting_for":1}"#)
        fixture.emit("web", .down())
        #expect(fixture.respond("/readyz").status == 200)
    }

    @Test("/version")
    func version() {
        #expect(
            fixture.respond("/version").text == #"{"name":"reachd","version":"0.1.0","build":{"swift":"6.3"}}"#
        )
    }

    @Test("A POST route accepts only POST and OPTIONS", arguments: Route.allCases.filter(\.isPost))
    func postMethods(route: Route) {
        fixture.registry.apply(targets: [.address("web")])
        for prefix in ["", "/api/v1"] {
            let path = prefix + route.rawValue.replacing("{id}", with: "web")
            let options = fixture.respond(path, method: "OPTIONS")
            #expect(options.status == 204)
            #expect(options.header("Allow") == "POST, OPTIONS")
            for method in ["GET", "HEAD", "PUT", "PATCH", "DELETE", "TRACE", "post", ""] {
                let refused = fixture.respond(path, method: method)
                #expect(refused.status == 405)
                #expect(refused.header("Allow") == "POST, OPTIONS")
                #expect(refused.header("Content-Type") == "application/problem+json")
            }
        }
    }

    @Test("Every GET answers HEAD with the same head; every route answers OPTIONS; other methods get 405 and Allow")
    func methods() {
        fixture.registry.apply(targets: [.address("web")])
        for route in Route.allCases where !route.isPost {
            for prefix in ["", "/api/v1"] {
                let path = prefix + route.rawValue.replacing("{id}", with: "web")
                let get = fixture.respond(path)
                let head = fixture.respond(path, method: "HEAD")
                #expect(head.status == get.status)
                #expect(head.headers == get.headers)
                #expect(get.header("X-Content-Type-Options") == "nosniff")
                if case .stream = head.body { Issue.record("HEAD begins a stream") }
                let options = fixture.respond(path, method: "OPTIONS")
                #expect(options.status == 204)
                let allowed = route.methods.map(\.rawValue)
                #expect(options.header("Allow") == allowed.joined(separator: ", "))
                #expect(allowed.starts(with: ["GET", "HEAD"]) && allowed.last == "OPTIONS")
                for method in ["POST", "PUT", "PATCH", "DELETE", "TRACE", "get", ""] where !allowed.contains(method) {
                    let refused = fixture.respond(path, method: method)
                    #expect(refused.status == 405)
                    #expect(refused.header("Allow") == options.header("Allow"))
                    #expect(refused.header("X-Content-Type-Options") == "nosniff")
                    #expect(refused.header("Content-Type") == "application/problem+json")
                }
            }
        }
        #expect(fixture.respond("*", method: "OPTIONS").status == 204)
        #expect(fixture.respond("/nothing", method: "POST").status == 404)
    }

    @Test("An unknown target is 404, an invalid id 400")
    func missing() throws {
        var response = fixture.respond("/targets/nobody")
        #expect(response.status == 404)
        #expect(try JSONValue(parsing: response.bytes)["type"] == .string("urn:reachd:problem:unknown_target"))
        #expect(!response.text.contains("Did you mean"))
        fixture.registry.apply(targets: [.address("nas-ssh", "198.51.100.1")])
        #expect(fixture.respond("/targets/nas-shh").text.contains(#"Did you mean \"nas-ssh\"?"#))
        response = fixture.respond("/targets/%zz")
        #expect(response.status == 400)
        #expect(try JSONValue(parsing: response.bytes)["type"] == .string("urn:reachd:problem:bad_encoding"))
        response = fixture.respond("/nothing")
        #expect(response.status == 404)
        #expect(
            response.text
                == #"{"type":"urn:reachd:problem:unknown_route","title":"The route does not exist","status":404,"#
                + #""detail":"There is no route \"/nothing\"; GET /openapi.yaml lists all."}"#
        )
    }

    @Test("/status reports the kernel subscription: namespace, groups, buffer, overruns, last message")
    func netlink() throws {
        #expect(try fixture.json("/status")["netlink"] == nil)
        let known = Mutex(ServiceFacts())
        let fixture = Fixture(wiring: RequestHandler.ServiceDependencies(facts: { known.withLock { $0 } }))
        known.withLock { facts in
            var paths = PathEngineStatistics()
            paths.groupNames = ["link", "ipv4_route"]
            paths.receiveBuffer = 425_984
            paths.messages = 12
            paths.overruns = 3
            paths.namespaceInode = 4_026_531_840
            facts.paths = paths
        }
        fixture.uptime.nanoseconds += 1_000_000_000
        let quiet = try #require(try fixture.json("/status")["netlink"])
        #expect(quiet["groups"] == .array([.string("link"), .string("ipv4_route")]))
        #expect(quiet["receive_buffer_bytes"] == .number(425_984))
        #expect(quiet["messages"] == .number(12) && quiet["overruns"] == .number(3))
        #expect(quiet["namespace"] == .object(["inode": .number(4_026_531_840)]))
        #expect(quiet["last_message_at"] == nil)
        known.withLock { facts in
            var paths = PathEngineStatistics()
            paths.namespaceName = "blue"
            paths.lastMessage = 1_795_000_000_123
            facts.paths = paths
        }
        fixture.uptime.nanoseconds += 1_000_000_000
        let body = try fixture.json("/status")
        #expect(body[["netlink", "namespace", "name"]] == .string("blue"))
        #expect(body[["netlink", "last_message_at"]] == .string("2026-11-18T11:06:40.123Z"))
        try OpenAPITests().expectValid(body, "Status")
    }

    @Test("404 and 405 name the missing and the available resource; client input is quoted, short and printable")
    func details() throws {
        func detail(_ response: HTTPResponse) throws -> String {
            try #require(try JSONValue(parsing: response.bytes)["detail"]?.string)
        }
        fixture.registry.apply(targets: [.address("web")])
        let long = String(repeating: "x", count: 3_000)
        for (path, words) in [
            ("/targets/nobody", "\"nobody\""), ("/targets/nobody/health", "\"nobody\""), ("/page/x.js", "/page/x.js"),
            ("/a\u{1b}[2J", "\\x1b"), ("/\(long)", "…"),
            ("/targets/\(long)", "…"),
        ] {
            let response = fixture.respond(path)
            #expect(response.status == 404, "\(path)")
            let text = try detail(response)
            #expect(text.contains(words) && text.utf8.count < 300, "\(text)")
        }
        for action in ["pause", "resume", "probe", "heartbeat"] {
            #expect(try detail(fixture.post("/targets/nobody/\(action)")).contains("\"nobody\""))
        }
        let response = fixture.post("/status")
        #expect(response.status == 405 && response.header("Allow") == "GET, HEAD, OPTIONS")
        #expect(try detail(response) == "The route does not support \"POST\", only GET, HEAD, OPTIONS.")
    }

    @Test(
        "A body with a Content-Encoding is 415 with the accepted encodings",
        arguments: ["gzip", "GZip", "identity, br", "x"]
    )
    func contentEncoding(coding: String) {
        let json = HTTPHeader("Content-Type", "application/json")
        for (method, path) in [("POST", "/targets"), ("PUT", "/targets/a"), ("PATCH", "/targets/a")] {
            func send(_ headers: [HTTPHeader]) -> HTTPResponse {
                fixture.respond(path, method: method, headers: headers + [json], body: Array("{".utf8))
            }
            let refused = send([HTTPHeader("content-encoding", coding)])
            #expect(refused.status == 415)
            #expect(refused.header("Accept-Encoding") == "identity")
            #expect(refused.header("Accept-Post") == nil && refused.header("Accept-Patch") == nil)
            #expect(send([HTTPHeader("Content-Encoding", "identity")]).status == 400)
            #expect(send([HTTPHeader("Content-Encoding", "")]).status == 400)
        }
    }

    @Test(
        "If-None-Match compares weakly",
        arguments: [
            (#"W/"abcd-1""#, 304), (#""abcd-1""#, 304), ("*", 304), (#""x", W/"abcd-1" "#, 304), (#"W/"abcd-2""#, 200),
            ("", 200), (",", 200), (#"W/"abcd-11""#, 200),
        ] as [(String, Int)]
    )
    func validators(field: String, status: Int) {
        fixture.tellNetwork(.up())
        let known = HTTPHeader("If-None-Match", field)
        for path in ["/status", "/targets", "/targets?limit=1"] {
            let response = fixture.respond(path, headers: [known])
            #expect(response.status == status)
            #expect(response.header("ETag") == #"W/"abcd-1""#)
            #expect(response.header("Cache-Control") == "no-cache")
        }
    }

    @Test("A target's validator changes only with the target")
    func targetValidator() {
        fixture.registry.apply(targets: [.address("a", "198.51.100.1"), .address("b", "198.51.100.2")])
        let first = fixture.respond("/targets/a").header("ETag") ?? ""
        fixture.emit("b", .up())
        #expect(fixture.respond("/targets/a", headers: [HTTPHeader("If-None-Match", first)]).status == 304)
        fixture.emit("a", .up())
        #expect(fixture.respond("/targets/a", headers: [HTTPHeader("If-None-Match", first)]).status == 200)
        let second = fixture.respond("/targets/a").header("ETag")
        fixture.registry.environmentDidChange(NetworkEnvironment(supportsDNS: true))
        #expect(fixture.respond("/targets/a").header("ETag") != second)
        #expect(fixture.respond("/targets/a").text.contains(#""supports_dns":true"#))
    }

    @Test("Constant routes have validators too")
    func constants() {
        for path in ["/version", "/openapi.yaml", "/livez"] {
            let response = fixture.respond(path)
            let known = HTTPHeader("If-None-Match", response.header("ETag") ?? "")
            #expect(fixture.respond(path, headers: [known]).status == 304)
        }
    }

    @Test(
        "Requests that the server refuses get problem documents too",
        arguments: [400, 408, 413, 431, 500, 501, 503]
    )
    func refusals(status: Int) throws {
        let response = RequestHandler.refusal(status: status, detail: "no")
        #expect(response.status == status)
        let problem = try JSONValue(parsing: response.bytes)
        #expect(problem["status"] == .number(Double(status)))
        #expect(problem["detail"] == .string("no"))
    }
}

extension Route {
    fileprivate var isPost: Bool { methods == [.post, .options] }
}
