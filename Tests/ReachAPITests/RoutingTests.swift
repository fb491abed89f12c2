// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import MonitoringTestSupport
import Schema
import Testing

@testable import ReachAPI

@Suite("Routing and query parsing")
struct RoutingTests {
    @Test("Every route is found, under the prefix too")
    func routes() {
        for route in Route.allCases {
            let path = route.rawValue.replacing("{id}", with: "web")
            #expect(Router.match(path)?.route == route)
            #expect(Router.match("/api/v1" + path)?.route == route)
            #expect(Router.match("/api/v1/api/v1" + path) == nil)
            #expect(Router.match(path + "/") == nil)
            #expect(Router.match("/" + path) == nil)
        }
    }

    @Test("A node's name is one segment, whatever it is, and is decoded later")
    func nodes() {
        for (segment, rest, route) in [
            ("a", "", .fleetNode), ("a%2Fb", "/drain", .drain), ("drain", "", .fleetNode), ("drain", "/drain", .drain),
            ("%00", "/undrain", .undrain), ("..", "", .fleetNode), ("n\u{f6}rd%20", "", .fleetNode),
        ] as [(String, String, Route)] {
            for prefix in ["", "/api/v1"] {
                let match = Router.match("\(prefix)/fleet/nodes/\(segment)\(rest)")
                #expect(match?.route == route && match?.id == segment)
            }
        }
    }

    @Test("A node without a fleet has no routes of one")
    func noFleet() throws {
        let fixture = Fixture()
        for path in ["/fleet", "/fleet/nodes", "/fleet/nodes/a", "/fleet/nodes/%zz"] {
            #expect(fixture.respond(path).status == 404)
        }
        for path in ["/fleet/nodes/a/drain", "/api/v1/fleet/nodes/a/undrain"] {
            #expect(fixture.post(path).status == 404)
            #expect(fixture.respond(path).status == 405)
            #expect(fixture.post(path, headers: [HTTPHeader("Sec-Fetch-Site", "cross-site")]).status == 403)
        }
    }

    @Test(
        "Other paths are not routes",
        arguments: [
            "", "//", "*", "/page", "/page/", "/page/a/b", "status", "/Status", "/status/x", "/targets/",
            "/targets//health", "/targets/a/b",
            "/targets/a/health/", "/api/v1", "/api/v1//", "/api/v2/status", "/api/v1status", "/statu%73", "/%2e/status",
            "/../status", "/fleet/", "/fleet/nodes/", "/fleet/nodes/a/", "/fleet/nodes/a/b", "/fleet/nodes//drain",
            "/fleet/nodes/a/drain/", "/fleet/nodes/a/undrain/b", "/fleet/nodes/a/pause", "/fleet/node/a", "/fleet/a",
            "/targets/a/drain", "/fleet/nodes%2Fa", "/Fleet/nodes",
        ]
    )
    func unknown(path: String) {
        #expect(Router.match(path) == nil)
    }

    @Test("The absolute form gives its path and authority (RFC 9112, 3.2.2)")
    func absoluteForm() throws {
        let parts = try #require(Router.absoluteForm("HTTP://localhost:7532/status"))
        #expect(parts.authority == "localhost:7532")
        #expect(parts.path == "/status")
        #expect(Router.absoluteForm("http://localhost")?.path == "/")
        #expect(Router.absoluteForm("/status") == nil)
        #expect(Router.absoluteForm("ftp://x/") == nil)
    }

    @Test(
        "Percent-encoding is undone strictly",
        arguments: [
            ("a%20b", "a b"), ("%C3%A9", "é"), ("a+b", "a b"), ("", ""), ("%", nil), ("%4", nil), ("%zz", nil),
            ("%00", nil), ("%0a", nil), ("%7F", nil), ("%C3", nil), ("%ff", nil), ("%C0%80", nil), ("%ED%A0%80", nil),
        ] as [(String, String?)]
    )
    func decoding(text: String, decoded: String?) {
        #expect(PercentDecoding.decode(text[...].utf8, plusIsSpace: true) == decoded)
    }

    @Test("A plus sign in a path is a plus sign")
    func plus() {
        #expect(PercentDecoding.decode("a+b"[...].utf8, plusIsSpace: false) == "a+b")
    }

    @Test(
        "A similar name is suggested if there is one",
        arguments: [
            ("stat", "state"), ("sttae", "state"), ("limits", "limit"), ("filds", "fields"), ("xyzzy", nil), ("", nil),
        ] as [(String, String?)]
    )
    func nearest(word: String, found: String?) {
        let names = Route.targets.parameters.map(\.name)
        #expect(NearestName.of(word, among: names) == found)
    }

    @Test(
        "Without a fleet, scope=node is the default",
        arguments: [
            "/targets", "/targets/web", "/targets/web/health", "/targets/web/badge.svg", "/metrics?collect=targets",
        ]
    )
    func scope(target: String) throws {
        let fixture = Fixture()
        fixture.registry.apply(targets: [.address("web")])
        let response = fixture.respond(target + (target.contains("?") ? "&" : "?") + "scope=node")
        #expect(response.status == fixture.respond(target).status && response.text == fixture.respond(target).text)
        for method in ["POST", "PUT", "DELETE"] {
            #expect(fixture.respond(target + "?scope=node", method: method).status != 200)
        }
    }

    @Test(
        "Invalid queries are 400 and name the parameter",
        arguments: [
            ("/status?fail_on=upp", "fail_on"), ("/status?fail_on=down&fail_on=unknown", "fail_on"),
            ("/status?x=1", "x"), ("/livez?verbose", "verbose"), ("/targets?stat=up", "stat"),
            ("/targets?state=", "state"), ("/targets?state=UP", "state"), ("/targets?status=up", "status"),
            ("/targets?tag=novalue", "tag"), ("/targets?tag=:x", "tag"), ("/targets?limit=0", "limit"),
            ("/targets?limit=10001", "limit"), ("/targets?limit=-1", "limit"), ("/targets?limit=1e2", "limit"),
            ("/targets?limit=", "limit"), ("/targets?limit=99999999999999999999", "limit"),
            ("/targets?limit=1&limit=2", "limit"), ("/targets?q=a&q=b", "q"), ("/targets?cursor=", "cursor"),
            ("/targets?cursor=beef.1", "cursor"), ("/targets?cursor=abcd.zz", "cursor"),
            ("/targets?fields=id,nme", "fields"), ("/targets?q=%ff", "q"), ("/targets?q=%", "q"),
            ("/events?event=rechability", "event"), ("/events?event=change", "event"),
            ("/events?key=isReachable", "key"),
            ("/events?key=status&options=all", "options"), ("/events?options=new", "options"),
            ("/events?format=json", "format"), ("/events?snapshot=yes", "snapshot"), ("/events?distinct=2", "distinct"),
            ("/events?since=1", "since"), ("/events?since=", "since"), ("/events?target=a%20b", "target"),
            ("/events?target=", "target"), ("/targets/web?fields=id", "fields"),
            ("/status?scope=fleet", "scope"), ("/targets?scope=FLEET", "scope"), ("/targets/web?scope=fleet", "scope"),
            ("/events?scope=fleet", "scope"), ("/metrics?scope=", "scope"), ("/version?scope=node", "scope"),
        ] as [(String, String)]
    )
    func faults(target: String, parameter: String) throws {
        let fixture = Fixture()
        fixture.registry.apply(targets: [.address("web")])
        let response = fixture.respond(target)
        #expect(response.status == 400)
        #expect(response.header("Content-Type") == "application/problem+json")
        let problem = try JSONValue(parsing: response.bytes)
        #expect(problem["type"] == .string("urn:reachd:problem:invalid_parameter"))
        #expect(problem["errors"]?.array?.first?["parameter"]?.string == parameter)
    }

    @Test("All errors are reported at once, with suggestions")
    func allFaults() throws {
        let problem = try Fixture().json("/targets?stat=up&limit=0&limit=1&gruop=x")
        let errors = problem["errors"]?.array ?? []
        #expect(errors.map { $0["parameter"]?.string } == ["stat", "limit", "gruop"])
        #expect(errors.first?["detail"]?.string?.contains("Did you mean `state`?") == true)
    }

    @Test("A query may be empty and contain empty parts")
    func emptyParts() {
        let fixture = Fixture()
        #expect(fixture.respond("/status?").status == 200)
        #expect(fixture.respond("/targets?&limit=5&").status == 200)
        #expect(fixture.respond("/status?fail_on=").status == 200)
    }

    @Test("The number of values of one parameter is bounded")
    func bounded() {
        let many = (0..<300).map { "target=t\($0)" }.joined(separator: "&")
        #expect(Fixture().respond("/events?" + many).status == 400)
    }

    @Test("A base path applies to every route and both prefixes; only the health checks work outside it")
    func basePath() throws {
        var settings = APISettings()
        settings.basePath = "/a/b"
        let fixture = Fixture(settings: settings)
        try fixture.configure("targets: [{id: x, address: 127.0.0.1}]")
        for path in ["/status", "/targets", "/targets/x", "/targets/x/health", "/livez", "/version", "/openapi.yaml"] {
            #expect(fixture.respond("/a/b\(path)").status != 404, "\(path)")
            #expect(fixture.respond("/a/b/api/v1\(path)").status != 404, "\(path)")
            let isOpen = path == "/livez"
            #expect((fixture.respond(path).status == 404) != isOpen, "\(path)")
            #expect((fixture.respond("/api/v1\(path)").status == 404) != isOpen, "\(path)")
            for other in ["/a", "/a/bc", "/a/b/a/b", "/A/b", "/a//b", "/a/b/", "/api/v1/a/b"] {
                #expect(fixture.respond(other + path).status == 404, "\(other)\(path)")
            }
        }
        for path in ["/", "/page/style.css", "/a", "/a/b/page", "/readyzz", "/a/b/readyz/"] {
            #expect(fixture.respond(path).status == 404, "\(path)")
        }
        #expect(fixture.respond("http://localhost/a/b/targets/x").status == 200)
        let post = fixture.send("POST", "/a/b/targets", #"{"host":"y.test"}"#)
        #expect(post.header("Location") == "/a/b/targets/y.test")
        #expect(fixture.respond("/a/b/targets/y.test").status == 200)
        let put = fixture.send("PUT", "/a/b/api/v1/targets/z", #"{"host":"z.test"}"#)
        #expect(put.header("Location") == "/a/b/api/v1/targets/z")
        let document = fixture.respond("/a/b/openapi.yaml").text
        #expect(document.contains("\nservers:\n  - url: /a/b\n"))
        #expect(document.contains("\n  - url: /a/b/api/v1\n") && !document.contains("url: http://127.0.0.1"))
        #expect(document.contains("\ntags:\n  - name: state\n"))
    }
}
