// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import HTTPServer
import Testing

@Suite("The server's life", .timeLimit(.minutes(15)))
struct ServerTests {
    @Test("stop closes idle connections and incomplete requests, closes the socket, and may be called again")
    func stop() throws {
        let server = try TestServer()
        let port = server.server.port
        let idle = try server.client()
        #expect(try idle.request("GET", "/").status == 200)
        let silent = try server.client()
        let half = try server.client()
        try half.send("GET / HTTP/1.1\r\nHost:")
        server.server.stop(deadline: .seconds(5))
        for client in [idle, silent, half] { #expect(try client.readToEnd().isEmpty) }
        #expect(throws: ClientError.self) { try RawClient(port: port) }
        server.server.stop(deadline: .seconds(5))
        #expect(server.server.port == 0)
        #expect(server.server.statistics.requests == 1)
        server.server.wakeStreams()
    }

    @Test("stop waits for a request that is being answered, but not longer than its deadline")
    func stopDeadline() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(RawClient.head("PUT", "/", ["Content-Length: 10", "Expect: 100-continue"]))
        _ = try client.read(through: "100 Continue\r\n\r\n")
        server.server.stop(deadline: .milliseconds(50))
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("a server starts once")
    func startTwice() throws {
        let server = try TestServer()
        let again = #expect(throws: HTTPServerError.self) { try server.server.start() }
        #expect(again?.code == .alreadyStarted)
        server.server.stop(deadline: .zero)
        #expect(throws: HTTPServerError.self) { try server.server.start() }
    }

    @Test("a server that is not stopped ends with its object")
    func droppedServer() throws {
        var server: TestServer? = try TestServer()
        let client = try #require(try server?.client())
        #expect(try client.request("GET", "/").status == 200)
        server = nil
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("an address in use, an unavailable and a forbidden one have different errors")
    func addressErrors() throws {
        let server = try TestServer()
        let used = #expect(throws: HTTPServerError.self) {
            try TestServer([.tcp(host: "127.0.0.1", port: server.server.port)])
        }
        #expect(used?.code == .addressInUse)
        #expect(used?.message.contains("127.0.0.1:\(server.server.port)") == true)
        let foreign = #expect(throws: HTTPServerError.self) { try TestServer([.tcp(host: "192.0.2.1", port: 0)]) }
        #expect(foreign?.code == .addressNotAvailable)
        let missing = #expect(throws: HTTPServerError.self) {
            try TestServer([.unix(path: "/nonexistent/socket", mode: 0o600)])
        }
        #expect(missing?.code == .addressNotAvailable)
        // What was opened before the fault is closed again.
        let free = try TestServer()
        let port = free.server.port
        free.server.stop(deadline: .zero)
        #expect(throws: HTTPServerError.self) {
            try TestServer([.tcp(host: "127.0.0.1", port: port), .tcp(host: "192.0.2.1", port: 0)])
        }
        let reused = try TestServer([.tcp(host: "127.0.0.1", port: port)])
        #expect(reused.server.port == port)
    }

    @Test("a dual-stack socket takes both families and names IPv4 clients as such")
    func dualStack() throws {
        let server = try TestServer([.tcp(host: "*", port: 0)]) { request in
            HTTPResponse(status: 200, body: .bytes(Array(request.peer.utf8)))
        }
        let four = try RawClient(port: server.server.port)
        #expect(try four.request("GET", "/").text.hasPrefix("127.0.0.1:"))
        if server.server.addresses.contains(where: { $0.description.hasPrefix("[::]") }) {
            let six = try RawClient(port: server.server.port, host: "::1")
            #expect(try six.request("GET", "/").text.hasPrefix("[::1]:"))
        }
    }

    @Test("several addresses, with the IPv4 and the IPv6 one on the same port")
    func severalAddresses() throws {
        let first = try TestServer()
        let port = first.server.port
        first.server.stop(deadline: .zero)
        let server = try TestServer([
            .tcp(host: "127.0.0.1", port: port), .tcp(host: "::1", port: port), .tcp(host: "127.0.0.2", port: 0),
        ])
        #expect(server.server.addresses.count == 3)
        #expect(try RawClient(port: port).request("GET", "/").status == 200)
        #expect(try RawClient(port: port, host: "::1").request("GET", "/").status == 200)
    }

    @Test("a unix socket: its permissions, a stale file, one in use, and its end")
    func unixSocket() throws {
        let path = "/tmp/reachd-http-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).sock"
        let server = try TestServer([.unix(path: path, mode: 0o640)]) { request in
            HTTPResponse(status: 200, body: .bytes(Array(request.peer.utf8)))
        }
        var facts = stat()
        #expect(unsafe lstat(path, &facts) == 0)
        #expect(facts.st_mode & 0o777 == 0o640)
        #expect(facts.st_mode & S_IFMT == S_IFSOCK)
        let client = try RawClient(path: path)
        for _ in 0..<3 { #expect(try client.request("GET", "/").text == "unix") }

        let used = #expect(throws: HTTPServerError.self) { try TestServer([.unix(path: path, mode: 0o600)]) }
        #expect(used?.code == .addressInUse)
        #expect(try client.request("GET", "/").status == 200)

        // A file that a killed server left behind.
        let stale = path + ".stale"
        let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(stale.utf8)) }
        let bound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(left, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(bound == 0)
        close(left)
        let second = try TestServer([.unix(path: stale, mode: 0o600)])
        #expect(try RawClient(path: stale).request("GET", "/").status == 200)

        server.server.stop(deadline: .zero)
        second.server.stop(deadline: .zero)
        #expect(unsafe lstat(path, &facts) == -1)
        #expect(unsafe lstat(stale, &facts) == -1)
    }

    @Test("connections over the limit wait until others go")
    func connectionLimit() async throws {
        let server = try TestServer(adjust: { $0.limits.connections = 3 })
        let clients = try (0..<3).map { _ in try server.client() }
        for client in clients { #expect(try client.request("GET", "/").status == 200) }
        let waiting = try server.client()
        try waiting.send(RawClient.head("GET", "/waited"))
        for client in clients { #expect(try client.request("GET", "/").status == 200) }
        await eventually("three were counted") { server.server.statistics.acceptedConnections == 3 }
        #expect(server.server.statistics.openConnections == 3)
        clients[0].close()
        #expect(try waiting.readResponse().text == "GET\n/waited\n-\n")
    }

    @Test("connections of one address over its limit are closed")
    func addressLimit() throws {
        let server = try TestServer(adjust: { $0.limits.connectionsPerAddress = 2 })
        let clients = try (0..<2).map { _ in try server.client() }
        for client in clients { #expect(try client.request("GET", "/").status == 200) }
        #expect(try server.client().readToEnd().isEmpty)
        for client in clients { #expect(try client.request("GET", "/").status == 200) }
    }

    @Test(
        "a process out of descriptors continues when some are free again, and thousands of streams leave nothing open"
    )
    func descriptors() async throws {
        await #expect(processExitsWith: .success) {
            try await DescriptorTrial.run()
        }
    }
}

/// Runs in a process of its own, because it counts descriptors.
enum DescriptorTrial {
    static func run() async throws {
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, 5000)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let count = min(2000, (Int(limit.rlim_cur) - 200) / 2)
        let server = try TestServer(
            handler: { request in
                request.path == "/plain"
                    ? HTTPResponse(status: 200) : HTTPResponse(status: 200, body: .stream(TestSource("data: x\n\n")))
            },
            adjust: {
                $0.limits.streams = 5000
                $0.limits.connections = 100_000
            }
        )
        #expect(try server.client().request("GET", "/plain").status == 200)
        await eventually("the first connection is closed") { server.isEmpty(after: 1) }
        let base = openSockets()

        for wave in 0..<3 {
            let clients = try (0..<count).map { _ in
                let client = try server.client()
                try client.send(RawClient.head("GET", "/events"))
                return client
            }
            for client in clients { _ = try client.read(through: "data: x\n\n") }
            #expect(server.server.statistics.openStreams == UInt64(count))
            for (index, client) in clients.enumerated() { index % 2 == wave % 2 ? client.close() : client.reset() }
            await eventually("wave \(wave) is gone") { server.isEmpty(after: 1 + count * (wave + 1)) }
            #expect(openSockets() == base)
        }

        // Nothing left to accept with: the client waits, others are served, then it has its turn.
        let served = try server.client()
        #expect(try served.request("GET", "/plain").status == 200)
        let waiting = try server.client()
        await eventually("both are accepted") { server.server.statistics.openConnections == 2 }
        waiting.close()
        let next = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        await eventually("it is gone") { server.server.statistics.openConnections == 1 }
        var hoard: [Int32] = []
        while true {
            let descriptor = dup(next)
            guard descriptor >= 0 else { break }
            hoard.append(descriptor)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = server.server.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(next, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(result == 0)
        await eventually("a connection could not be accepted") { server.server.statistics.failedAccepts > 0 }
        #expect(try served.request("GET", "/plain").status == 200)
        for descriptor in hoard { close(descriptor) }
        await eventually("it is accepted") { server.server.statistics.openConnections == 2 }
        close(next)
        served.close()
        server.server.stop(deadline: .seconds(5))
    }

    /// Sockets only: the runtime opens timers and queues of its own when it likes.
    private static func openSockets() -> Int {
        (0..<5000).count { number in
            var facts = stat()
            return unsafe fstat(Int32(number), &facts) == 0 && facts.st_mode & S_IFMT == S_IFSOCK
        }
    }
}
