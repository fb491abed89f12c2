// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Synchronization
import Testing

@Suite("Responses that come later", .timeLimit(.minutes(2)))
struct DeferredResponseTests {
    private func server(_ answers: [DeferredResponse]) throws -> TestServer {
        let left = Mutex(answers)
        return try TestServer(
            handler: { request in
                if request.path == "/plain" { return HTTPResponse(status: 200, body: .bytes([0x2e])) }
                guard let answer = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
                    return HTTPResponse(status: 404)
                }
                return HTTPResponse(status: 299, headers: [HTTPHeader("X-No", "1")], body: .stream(answer))
            },
            adjust: { $0.streamLimit = 0 }
        )
    }

    @Test("status, fields and body are those that came; others are answered meanwhile; no place of a stream is taken")
    func later() throws {
        let answer = DeferredResponse()
        let server = try server([answer])
        let client = try server.client()
        try client.send(RawClient.head("POST", "/later"))
        #expect(try server.client().request("GET", "/plain").status == 200)
        answer.complete(with: HTTPResponse(status: 201, headers: [HTTPHeader("Location", "/x")], body: .bytes([0x61])))
        answer.complete(with: HTTPResponse(status: 500))
        server.server.wakeStreams()
        let response = try client.readResponse()
        #expect(response.status == 201)
        #expect(response.header("Location") == "/x")
        #expect(response.header("X-No") == nil)
        #expect(response.header("Content-Length") == "1")
        #expect(response.header("Connection") == "close")
        #expect(response.body == [0x61])
    }

    @Test("one that is there already goes out at once, without a body where there is none")
    func already() throws {
        let answer = DeferredResponse()
        answer.complete(with: HTTPResponse(status: 204))
        let server = try server([answer])
        let client = try server.client()
        try client.send(RawClient.head("DELETE", "/now"))
        let response = try client.readResponse()
        #expect(response.status == 204)
        #expect(response.header("Content-Length") == nil)
    }

    @Test("a client that goes, and a server that ends, wait for nothing")
    func gone() throws {
        let answers = [DeferredResponse(), DeferredResponse()]
        let server = try server(answers)
        let first = try server.client()
        try first.send(RawClient.head("POST", "/a"))
        first.close()
        let second = try server.client()
        try second.send(RawClient.head("POST", "/b"))
        #expect(try server.client().request("GET", "/plain").status == 200)
        server.server.stop(deadline: .seconds(1))
        answers[0].complete(with: HTTPResponse(status: 200))
        answers[1].complete(with: HTTPResponse(status: 200))
    }
}
