// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import LinuxIO
import Testing

@Suite("Connections that are ready at once", .timeLimit(.minutes(2)))
struct ReadyAtOnceTests {
    /// The library's own waiting asks for 128 events, and when it gets exactly that many it waits for more before it
    /// serves any of them: with all clients among them, for ever.
    @Test(
        "exactly 128, 256 and 512 kept-alive connections whose requests wait together are all answered",
        arguments: [127, 128, 129, 256, 512]
    )
    func all(_ count: Int) throws {
        let gate = Semaphore()
        let isHeld = Semaphore()
        let server = try TestServer(
            handler: { request in
                if request.path == "/hold" {
                    isHeld.post()
                    gate.wait()
                }
                return echo(request)
            },
            adjust: { $0.connectionLimit = 2000 }
        )
        let holder = try server.client()
        let clients = try (0..<count).map { _ in try server.client() }
        for client in clients { #expect(try client.request("GET", "/before").status == 200) }
        for round in 0..<5 {
            // The server's thread is kept busy until every request lies in its socket.
            try holder.send(RawClient.head("GET", "/hold"))
            isHeld.wait()
            for client in clients { try client.send(RawClient.head("GET", "/\(round)")) }
            gate.post()
            for client in clients { #expect(try client.readResponse().text == "GET\n/\(round)\n-\n") }
            #expect(try holder.readResponse().status == 200)
        }
    }
}
