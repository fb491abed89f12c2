// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import TestSupport
import Testing

@testable import Probing

/// Servers that send for ever what no layer hands on. The clock stands still unless a test moves it.
@Suite(.serialized, .timeLimit(.minutes(15))) struct FloodTests {
    static let loopback = IPAddress(ipv4: 0x7F00_0001)

    func request(_ flood: FloodServer.Flood, _ port: UInt16, bodyLimit: Int = 1 << 20) throws -> ProbeRequest {
        var settings = HTTPProbeSettings(url: try HTTPURL("http://target.test:\(port)/"))
        settings.bodyLimit = bodyLimit
        if flood.isHTTP2 { settings.version = .http2 }
        return ProbeRequest(host: .address(Self.loopback), kind: .http(settings), timeout: .seconds(5))
    }

    @Test("A flood ends at the limit of bytes that a probe receives", arguments: FloodServer.Flood.all)
    func limit(flood: FloodServer.Flood) async throws {
        let server = try FloodServer(flood)
        let bench = try ProbeBench(clock: ManualClock())
        let result = await bench.run(try request(flood, server.port))
        #expect(result.outcome == .failure && result.reason == .httpProtocolError, "\(result.detail)")
        #expect(result.detail.hasPrefix("the peer sent more than 5242880 bytes"), "\(result.detail)")
    }

    @Test("Other probes run while floods last, and the deadline ends them", arguments: FloodServer.Flood.all)
    func others(flood: FloodServer.Flood) async throws {
        let clock = ManualClock()
        let server = try FloodServer(flood)
        let peer = try TestPeer(SOCK_STREAM, Exchange(Exchange.response(body: "hello")).behaviour)
        let bench = try ProbeBench(clock: clock)
        // A limit that lasts for longer than the test.
        let first = bench.begin(try request(flood, server.port, bodyLimit: 1 << 40))
        let second = bench.begin(try request(flood, server.port, bodyLimit: 1 << 40))
        server.isFlooding.wait()
        server.isFlooding.wait()
        let settings = HTTPProbeSettings(url: try HTTPURL("http://other.test:\(peer.port)/"))
        let other = ProbeRequest(host: .address(Self.loopback), kind: .http(settings), timeout: .seconds(5))
        let result = await bench.run(other)
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(first.count == 0 && second.count == 0, "the floods last")
        clock.advance(by: 5_000_000_000)
        for results in [first, second] {
            let result = try await results.next()
            #expect(result.reason == .timeout, "\(String(describing: result.reason)) \(result.detail)")
        }
        #expect(bench.runsInFlight == 0)
    }

    @Test(
        "Nested codings are refused: their decoded size is unlimited",
        arguments: ["Content-Encoding: gzip, gzip", "Content-Encoding: gzip\r\nContent-Encoding: br"]
    )
    func codings(fields: String) async throws {
        let peer = try TestPeer(
            SOCK_STREAM,
            Exchange("HTTP/1.1 200 OK\r\n\(fields)\r\nContent-Length: 5\r\n\r\nhello").behaviour
        )
        let bench = try ProbeBench()
        let result = await bench.run(try request(FloodServer.Flood.all[0], peer.port))
        #expect(result.reason == .httpProtocolError && result.detail == "the body is encoded more than once")
    }

    @Test("A library that reads until its socket is empty gets a slice at a time, and no more than the limit in all")
    func slices() async throws {
        let flood = FloodServer.Flood(description: "any", beginning: [], piece: [0x61])
        let server = try FloodServer(flood)
        let loop = try EventLoop(name: "relay-test", clock: ManualClock())
        defer { loop.close() }
        let calls = Recorder<Int>()
        let limit = ReceiveMeter(content: 0).limit
        final class Scene: @unchecked Sendable {
            var relay: SocketRelay?
            var far: Int32 = -1
        }
        let scene = Scene()
        await withCheckedContinuation { continuation in
            loop.execute {
                func read() -> Int {
                    var buffer = [UInt8](repeating: 0, count: 4_096)
                    var total = 0
                    while true {
                        let count = unsafe recv(scene.far, &buffer, buffer.count, 0)
                        guard count > 0 else { return total }
                        total += count
                    }
                }
                let events = SocketRelay.Events(
                    connected: { _ = unsafe send(scene.far, "GET / HTTP/1.1\r\n\r\n", 18, 0) },
                    delivered: { calls.record(read()) },
                    refused: { _ in continuation.resume() },
                    exceeded: { continuation.resume() }
                )
                guard
                    let socket = try? ProbeSocket(
                        SOCK_STREAM,
                        to: Self.loopback,
                        port: server.port,
                        from: ProbeOrigin()
                    ), let entrance = try? RelayListener(), let far = try? entrance.makeFar()
                else { return continuation.resume() }
                scene.far = far
                var name = [UInt8](repeating: 0, count: 110)
                unsafe name.withUnsafeMutableBytes { bytes in
                    let length = unsafe entrance.copyName(to: bytes)
                    guard let start = bytes.baseAddress else { return }
                    _ = unsafe connect(far, start.assumingMemoryBound(to: sockaddr.self), socklen_t(length))
                }
                let meter = ReceiveMeter(content: 0)
                scene.relay = SocketRelay(socket, entrance, loop: loop, meter: meter, events: events)
                scene.relay?.start()
            }
        }
        let sizes = calls.events
        #expect(sizes.allSatisfy { $0 <= SocketRelay.slice })
        let total = sizes.reduce(0, +)
        #expect(total <= limit && total > limit - SocketRelay.slice, "\(total)")
        _ = loop.executeAndWait {
            scene.relay?.close()
            close(scene.far)
        }
    }

    @Test("malformed_response: a name server that answers other questions for ever") func nameServer() async throws {
        let server = OwnedDescriptor(
            owning: try systemCall("socket") { socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }
        )
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try unsafe withUnsafeMutablePointer(to: &name) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = try systemCall("bind") { unsafe bind(server.number, pointer, size) }
                _ = try systemCall("getsockname") { unsafe getsockname(server.number, pointer, &size) }
            }
        }
        let settings = DNSProbeSettings(name: "a.test", port: UInt16(bigEndian: name.sin_port))
        let request = ProbeRequest(host: .address(Self.loopback), kind: .dns(settings), timeout: .seconds(5))
        let bench = try ProbeBench(clock: ManualClock())
        let results = bench.begin(request)
        let thread = try Thread(name: "dns-flood") {
            var buffer = [UInt8](repeating: 0xFF, count: 1_000)
            var from = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            unsafe withUnsafeMutablePointer(to: &from) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    _ = unsafe recvfrom(server.number, &buffer, buffer.count, 0, pointer, &length)
                    buffer = [UInt8](repeating: 0xFF, count: 1_000)
                    // Bounded, and ended by the result: none is for the question, and the clock stands still.
                    for _ in 0..<10_000_000 {
                        guard results.count == 0 else { return }
                        _ = unsafe sendto(server.number, buffer, buffer.count, 0, pointer, length)
                    }
                }
            }
        }
        let result = try await results.next()
        thread.end()
        #expect(result.reason == .malformedResponse, "\(result.detail)")
        #expect(result.detail.hasPrefix("the peer sent more than 1048576 bytes"), "\(result.detail)")
    }
}
