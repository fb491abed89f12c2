// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import LinuxIO
import Testing

@Suite("Clients that stop sending", .timeLimit(.minutes(15)))
struct HalfClosedTests {
    /// A server that stands still in the middle of its thread's turn, in each request for `/hold`. Nothing but the end of
    /// what they send ends its connections.
    private final class HeldServer {
        let server: TestServer
        private let gate: Semaphore
        private let isHeld: Semaphore

        init() throws {
            let gate = Semaphore()
            let isHeld = Semaphore()
            self.gate = gate
            self.isHeld = isHeld
            server = try TestServer(
                handler: { request in
                    if request.path == "/hold" {
                        isHeld.post()
                        gate.wait()
                    }
                    return echo(request)
                },
                adjust: { $0.limits.headerTimeout = .seconds(3600) }
            )
        }

        deinit {
            // A test that has failed may have left it standing.
            for _ in 0..<4 { gate.post() }
        }

        /// A client whose connection the server has.
        func client() throws -> RawClient {
            let client = try server.client()
            #expect(try client.request("GET", "/before").status == 200)
            return client
        }

        /// Runs something while the server's thread stands still in a request of this client's.
        func hold(_ client: RawClient, _ body: () throws -> Void) throws {
            try client.send(RawClient.head("GET", "/hold"))
            try whileHeld(body)
            #expect(try client.readResponse().status == 200)
        }

        /// The same for a request that was sent already.
        func whileHeld(_ body: () throws -> Void) throws {
            isHeld.wait()
            defer { gate.post() }
            try body()
        }
    }

    @Test("A new one that has stopped already is noticed in the turn in which another stops")
    func newConnection() throws {
        let held = try HeldServer()
        let (holder, other) = (try held.client(), try held.client())
        var new: RawClient?
        try held.hold(holder) {
            other.finishSending()
            let client = try held.server.client()
            try client.send("GET")
            client.finishSending()
            new = client
        }
        #expect(try other.readToEnd().isEmpty)
        #expect(try new?.readToEnd().isEmpty == true)
    }

    @Test("A client that sends data and stops after the library requested events is noticed")
    func duringTheTurn() throws {
        let held = try HeldServer()
        let (first, second) = (try held.client(), try held.client())
        let (other, late) = (try held.client(), try held.client())
        try held.hold(first) {
            other.finishSending()
            try second.send(RawClient.head("GET", "/hold"))
        }
        // The turn that began with the other's end and this request.
        try held.whileHeld {
            try late.send("GET")
            late.finishSending()
        }
        #expect(try second.readResponse().status == 200)
        #expect(try other.readToEnd().isEmpty)
        #expect(try late.readToEnd().isEmpty)
    }

    @Test("A client that sent more than the library reads at once is noticed", arguments: [1, 3, 6, 12, 24, 48])
    func moreThanOneRead(kibibytes: Int) throws {
        let held = try HeldServer()
        let (holder, client) = (try held.client(), try held.client())
        try held.hold(holder) {
            let line = "X: " + String(repeating: "x", count: 119) + "\r\n"
            let head = "GET / HTTP/1.1\r\nHost: test\r\n"
            #expect(client.trySend(Array((head + String(repeating: line, count: 8 * kibibytes)).utf8)))
            client.finishSending()
        }
        // At most a refusal.
        #expect(try !String(decoding: client.readToEnd(), as: UTF8.self).contains("HTTP/1.1 200"))
    }

    @Test("A client that begins another request during a long response, and stops, is noticed after the response")
    func duringAnAnswer() throws {
        let body = PreparedBody([UInt8](repeating: 0x78, count: 5_000_000))
        let server = try TestServer(
            handler: { _ in HTTPResponse(status: 200, body: .prepared(body)) },
            adjust: { $0.limits.headerTimeout = .seconds(3600) }
        )
        let client = try server.client(receiveBuffer: 4096)
        try client.send(RawClient.head("GET", "/"))
        _ = try client.read(through: "\r\n\r\n")
        try client.send("GET")
        client.finishSending()
        #expect(try client.readToEnd().count == 5_000_000)
    }
}
