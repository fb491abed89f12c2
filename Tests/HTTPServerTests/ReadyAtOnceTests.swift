// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import LinuxIO
import Testing

@Suite("Connections that are ready at once", .timeLimit(.minutes(15)))
struct ReadyAtOnceTests {
    /// The library's own waiting asks for 128 events, and when it gets exactly that many it waits for more before it
    /// serves any of them: with all clients among them, for ever.
    @Test(
        "exactly 128, 256 and 512 kept-alive connections with simultaneous requests all get responses",
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
            adjust: { $0.limits.connections = 2000 }
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

    @Test("Simultaneous connections to a TLS and a plain socket are each served as their socket requires")
    func severalSockets() throws {
        let gate = Semaphore()
        let isHeld = Semaphore()
        let server = try SecureServer(
            handler: { request in
                if request.path == "/hold" {
                    isHeld.post()
                    gate.wait()
                }
                return echo(request)
            },
            adjust: { settings in
                // On both sides of the TLS one.
                settings.listeners.insert(Listener(.address(.tcp(host: "127.0.0.1", port: 0))), at: 0)
                settings.listeners.append(Listener(.address(.tcp(host: "127.0.0.1", port: 0))))
            }
        )
        let ports = server.server.addresses.compactMap { address -> UInt16? in
            guard case .tcp(_, let port) = address else { return nil }
            return port
        }
        let holder = try RawClient(port: ports[0])
        try holder.send(RawClient.head("GET", "/hold"))
        isHeld.wait()
        let clients = try ports.map { try RawClient(port: $0) }
        for (number, client) in clients.enumerated() {
            try client.send(number == 1 ? Self.greeting : Array(RawClient.head("GET", "/plain").utf8))
        }
        gate.post()
        #expect(try holder.readResponse().status == 200)
        #expect(try clients[0].readResponse().text == "GET\n/plain\n-\n")
        // A handshake message: the server's greeting, and no alert (21).
        #expect(try clients[1].read(count: 1) == [22])
        #expect(try clients[2].readResponse().text == "GET\n/plain\n-\n")
    }

    /// A client's greeting for TLS 1.2 with an ECDSA certificate over P-256 (RFC 5246, 7.4.1.2).
    private static var greeting: [UInt8] {
        func sized(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes }
        // The groups, the forms of points, the signatures.
        let extensions =
            [0, 10] + sized(sized([0, 23])) + [0, 11] + sized([1, 0]) + [0, 13] + sized(sized([4, 3]))
        // The version, what is random, no session, two cipher suites, no compression.
        let hello =
            [3, 3] + [UInt8](repeating: 7, count: 32) + [0] + sized([0xc0, 0x2b, 0xc0, 0x2c]) + [1, 0]
            + sized(extensions)
        return [22, 3, 1] + sized([1, 0] + sized(hello))
    }
}
