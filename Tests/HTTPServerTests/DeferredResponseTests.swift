// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Synchronization
import Testing

@Suite("Deferred responses", .timeLimit(.minutes(15)))
struct DeferredResponseTests {
    private func server(_ answers: [DeferredResponse]) throws -> TestServer {
        let left = Mutex(answers)
        return try TestServer(
            handler: { request in
                if request.path == "/plain" { return HTTPResponse(status: 200, body: .bytes([0x2e])) }
                guard let answer = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
                    return HTTPResponse(status: 404)
                }
                return HTTPResponse(status: 299, headers: [HTTPHeader("X-Beside", "1")], body: .deferred(answer))
            },
            adjust: { $0.limits.streams = 0 }
        )
    }

    /// Waits until the server has passed so many requests to the handler.
    private func taken(_ count: UInt64, by server: TestServer) async {
        await eventually("\(count) requests came") { server.server.statistics.requests == count }
    }

    @Test("The client gets the whole response, others are answered meanwhile, and no stream's place is taken")
    func later() throws {
        let answer = DeferredResponse()
        let server = try server([answer])
        let client = try server.client()
        try client.send(RawClient.head("POST", "/later"))
        #expect(try server.client().request("GET", "/plain").status == 200)
        answer.complete(with: HTTPResponse(status: 201, headers: [HTTPHeader("Location", "/x")], body: .bytes([0x61])))
        answer.complete(with: HTTPResponse(status: 500))
        let response = try client.readResponse()
        #expect(response.status == 201)
        #expect(response.header("Location") == "/x")
        #expect(response.header("X-Beside") == "1")
        #expect(response.header("Content-Length") == "1")
        #expect(response.body == [0x61])
    }

    @Test("A connection serves any number of deferred responses, pipelined ones in their order")
    func keepAlive() async throws {
        let answers = (0..<200).map { _ in DeferredResponse() }
        let server = try server(answers)
        let client = try server.client()
        for (number, answer) in answers.prefix(100).enumerated() {
            try client.send(RawClient.head(number % 2 == 0 ? "POST" : "GET", "/\(number)"))
            if number % 3 == 0 { await taken(UInt64(number) + 1, by: server) }
            answer.complete(with: HTTPResponse(status: 200, body: .bytes(Array("\(number)".utf8))))
            let response = try client.readResponse()
            #expect(response.text == "\(number)")
            #expect(response.header("Connection") != "close")
        }
        try client.send((100..<200).map { RawClient.head("GET", "/\($0)") }.joined())
        for (number, answer) in answers.enumerated().dropFirst(100).reversed() {
            answer.complete(with: HTTPResponse(status: 200, body: .bytes(Array("\(number)".utf8))))
        }
        for number in 100..<200 { #expect(try client.readResponse().text == "\(number)") }
        #expect(try client.request("GET", "/plain").text == ".")
        #expect(server.server.statistics.acceptedConnections == 1)
    }

    @Test("A response that is complete already is sent at once, without a body where there is none, and for HEAD")
    func already() throws {
        let answers = [DeferredResponse(), DeferredResponse()]
        answers[0].complete(with: HTTPResponse(status: 204))
        answers[1].complete(with: HTTPResponse(status: 200, body: .bytes([0x61, 0x62])))
        let server = try server(answers)
        let client = try server.client()
        try client.send(RawClient.head("DELETE", "/now"))
        let response = try client.readResponse()
        #expect(response.status == 204)
        #expect(response.header("Content-Length") == nil)
        let head = try client.request("HEAD", "/now")
        #expect(head.header("Content-Length") == "2" && head.body.isEmpty)
        #expect(try client.request("GET", "/plain").text == ".")
    }

    @Test("A client that half-closes after its request gets a response; one that disconnects leaves nothing behind")
    func halfClosed() async throws {
        let answers = [DeferredResponse(), DeferredResponse()]
        let server = try server(answers)
        let client = try server.client()
        try client.send(RawClient.head("POST", "/a"))
        client.finishSending()
        await taken(1, by: server)
        // Not before: a busy machine can take longer over the wait than the server waits for a first request.
        let gone = try server.client()
        try gone.send(RawClient.head("POST", "/b"))
        await taken(2, by: server)
        gone.reset()
        for answer in answers { answer.complete(with: HTTPResponse(status: 200, body: .bytes([0x61]))) }
        #expect(try client.readResponse().body == [0x61])
        #expect(try client.readToEnd().isEmpty)
        await eventually("both are closed") { server.isEmpty(after: 2) }
    }

    @Test("A response that will never come is a 503")
    func abandoned() async throws {
        let held = Mutex<DeferredResponse?>(DeferredResponse())
        let server = try TestServer(handler: { _ in
            HTTPResponse(status: 200, body: held.withLock { $0.map { HTTPResponse.Body.deferred($0) } } ?? .empty)
        })
        let client = try server.client()
        try client.send(RawClient.head("POST", "/never"))
        await taken(1, by: server)
        held.withLock { $0 = nil }
        #expect(try client.readResponse().status == 503)
        #expect(try client.request("GET", "/").status == 200)
    }

    @Test("A server that stops lets deferred responses be sent until its deadline; those that are late get 503")
    func stopping() async throws {
        let answers = [DeferredResponse(), DeferredResponse()]
        let server = try server(answers)
        let clients = try [server.client(), server.client()]
        for client in clients { try client.send(RawClient.head("POST", "/a")) }
        await taken(2, by: server)
        answers[0].complete(with: HTTPResponse(status: 200))
        #expect(try clients[0].readResponse().status == 200)
        server.server.stop(deadline: .milliseconds(10))
        let late = try clients[1].readResponse()
        #expect(late.status == 503 && late.text.contains("the service is stopping"))
        #expect(try clients[1].readToEnd().isEmpty)
        answers[1].complete(with: HTTPResponse(status: 200))
    }
}
