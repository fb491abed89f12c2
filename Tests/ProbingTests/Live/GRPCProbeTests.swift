// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import Probing
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct GRPCProbeTests {
    static let serving: [UInt8] = [0, 0, 0, 0, 2, 8, 1]

    func response(
        _ message: [UInt8]? = Self.serving,
        code: String? = "0",
        type: String = "application/grpc+proto",
        status: String = "200"
    ) -> [UInt8] {
        let head = [(":status", status), ("content-type", type)]
        let trailers = code.map { [("grpc-status", $0), ("grpc-message", "words")] } ?? [("x", "y")]
        guard let message else { return HTTP2Script.headers(head + trailers, ends: true) }
        return HTTP2Script.headers(head, ends: false) + HTTP2Script.data(message)
            + HTTP2Script.headers(trailers, ends: true)
    }

    func run(_ script: HTTP2Script, service: String = "") async throws -> ProbeResult {
        let peer = try TestPeer(SOCK_STREAM, script.behaviour)
        let bench = try ProbeBench()
        return await bench.run(
            ProbeRequest(
                host: .address(IPAddress(ipv4: 0x7F00_0001)),
                kind: .grpc(GRPCProbeSettings(port: peer.port, service: service)),
                timeout: .seconds(60)
            )
        )
    }

    @Test("Serving") func serving() async throws {
        let script = HTTP2Script(response())
        let result = try await run(script, service: "a.B")
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.phases[.connect] != nil && result.phases[.request] != nil)
        #expect(script.body == [0, 0, 0, 0, 5, 0x0A, 3, 0x61, 0x2E, 0x42])
    }

    @Test("grpc_not_serving", arguments: [[0, 0, 0, 0, 2, 8, 2], [0, 0, 0, 0, 0], [0, 0, 0, 0, 2, 8, 77]])
    func notServing(message: [UInt8]) async throws {
        #expect(try await run(HTTP2Script(response(message))).reason == .grpcNotServing)
    }

    @Test("grpc_service_unknown, as a status of the call and as one of the service") func unknown() async throws {
        #expect(try await run(HTTP2Script(response(nil, code: "5"))).reason == .grpcServiceUnknown)
        #expect(try await run(HTTP2Script(response([0, 0, 0, 0, 2, 8, 3]))).reason == .grpcServiceUnknown)
    }

    @Test("grpc_unimplemented") func unimplemented() async throws {
        #expect(try await run(HTTP2Script(response(nil, code: "12"))).reason == .grpcUnimplemented)
    }

    @Test("grpc_error") func errors() async throws {
        let answers = [
            response(nil, code: "14"), response([], code: nil), response(code: "x"), response(type: "text/html"),
            response(status: "404"), response([1, 0, 0, 0, 2, 8, 1]), response([0, 0, 0, 0, 9, 8, 1]),
            response([0] + [UInt8](repeating: 0, count: 8_000)),
        ]
        for (index, answer) in answers.enumerated() {
            let result = try await run(HTTP2Script(answer))
            #expect(result.outcome == .failure && result.reason == .grpcError, "\(index): \(result.detail)")
        }
    }

    @Test("A stream that is reset, a connection that is closed") func resets() async throws {
        let reset = HTTP2Script.frame(3, flags: 0, stream: 1, [0, 0, 0, 2])
        #expect(try await run(HTTP2Script(reset)).reason == .httpProtocolError)
        let away = HTTP2Script.frame(7, flags: 0, stream: 0, [0, 0, 0, 0, 0, 0, 0, 1])
        let result = try await run(HTTP2Script(away))
        #expect([.httpProtocolError, .connectionClosed].contains(result.reason), "\(result.detail)")
        let one = HTTP2Script.frame(9, flags: 0, stream: 1, [0])
        #expect([.httpProtocolError, .connectionClosed].contains(try await run(HTTP2Script(one)).reason))
    }

    @Test("A server that speaks only HTTP/1.1 is not a gRPC server") func oldServer() async throws {
        let peer = try TestPeer(SOCK_STREAM, .saysAndCloses(Array(Exchange.response("400 Bad Request").utf8)))
        let bench = try ProbeBench()
        let result = await bench.run(
            ProbeRequest(
                host: .address(IPAddress(ipv4: 0x7F00_0001)),
                kind: .grpc(GRPCProbeSettings(port: peer.port)),
                timeout: .seconds(60)
            )
        )
        #expect(
            [.httpProtocolError, .connectionClosed, .connectionReset].contains(result.reason),
            "\(String(describing: result.reason)) \(result.detail)"
        )
    }
}
