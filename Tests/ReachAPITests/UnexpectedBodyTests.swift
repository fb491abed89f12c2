// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Testing

@testable import ReachAPI

@Suite("Unexpected bodies")
struct UnexpectedBodyTests {
    private static let taking: Set<String> = [
        "POST /targets", "PUT /targets/{id}", "PATCH /targets/{id}", "PATCH /incidents/{id}",
        "POST /check",
    ]

    /// A proxy that knows nothing of a body with GET passes what is in it as a request of its own.
    @Test(
        "every route and method that takes no body refuses one, also an empty one in chunks",
        arguments: Route.allCases
    )
    func refused(_ route: Route) {
        let fixture = Fixture()
        let path = route.rawValue.replacing("{id}", with: "web").replacing("{file}", with: "main.js")
        for method in route.methods where !Self.taking.contains("\(method.rawValue) \(route.rawValue)") {
            for (body, isChunked) in [([], true), (Array("{}".utf8), false), (Array("{}".utf8), true)] {
                let request = HTTPRequest(
                    method: method.rawValue,
                    path: path,
                    body: body,
                    isChunked: isChunked,
                    peer: "127.0.0.1:4711"
                )
                let response = fixture.handler.respond(to: request)
                #expect(response.status == 400, "\(method.rawValue) \(path)")
                #expect(String(decoding: response.bytes, as: UTF8.self).contains("unexpected_body"))
                #expect(response.headers.contains(HTTPHeader("Connection", "close")))
            }
        }
    }

    @Test("routes that accept a body are marked as such")
    func taken() {
        for (method, route) in [
            (HTTPMethod.post, Route.targets), (.put, .target), (.patch, .target), (.patch, .incident), (.post, .check),
        ] {
            #expect(route.takesBody(method))
        }
        #expect(!Route.target.takesBody(.delete))
        #expect(!Route.heartbeat.takesBody(.post))
    }

    @Test("unknown routes and methods are 404 and 405, with a body or without", arguments: [true, false])
    func otherRefusals(isChunked: Bool) {
        let fixture = Fixture()
        for (method, path, status) in [("PUT", "/target/web", 404), ("POST", "/status", 405)] {
            let request = HTTPRequest(method: method, path: path, isChunked: isChunked, peer: "127.0.0.1:4711")
            #expect(fixture.handler.respond(to: request).status == status)
        }
    }
}
