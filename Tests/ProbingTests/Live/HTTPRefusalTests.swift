// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import ServerTrust
import TestSupport
import Testing

@testable import Probing

/// HTTP/2 servers that refuse to look at the first request of a connection (RFC 9113, section 8.7). Which of them libcurl asks
/// again depends on its version; a probe's answer does not. Whoever is asked once more here stays silent.
@Suite(.timeLimit(.minutes(15))) struct HTTPRefusalTests {
    enum Refusal: CaseIterable {
        case stream, connection

        var frame: [UInt8] {
            switch self {
            case .stream: HTTP2Script.frame(3, flags: 0, stream: 1, [0, 0, 0, 7])
            case .connection: HTTP2Script.frame(7, flags: 0, stream: 0, [0, 0, 0, 0, 0, 0, 0, 0])
            }
        }
    }

    private func request(_ url: String, _ version: HTTPVersion) throws -> ProbeRequest {
        var settings = HTTPProbeSettings(url: try HTTPURL(url))
        settings.version = version
        settings.tls = TLSSettings(policy: .permissive)
        return ProbeRequest(host: .address(IPAddress(ipv4: 0x7F00_0001)), kind: .http(settings), timeout: .seconds(60))
    }

    @Test("HTTP/2 from the first byte", arguments: Refusal.allCases) func plain(refusal: Refusal) async throws {
        let peer = try TestPeer(SOCK_STREAM, HTTP2Script(refusal.frame).behaviour)
        let result = try await ProbeBench().run(request("http://target.test:\(peer.port)/", .http2))
        #expect(result.reason == .httpProtocolError, "\(String(describing: result.reason)) \(result.detail)")
    }

    @Test("HTTP/2 as TLS agrees on it", arguments: Refusal.allCases, [HTTPVersion.any, .http2])
    func secure(refusal: Refusal, version: HTTPVersion) async throws {
        let certificates = try TestCertificates()
        let input = try Pipe()
        let server = try ChildProcess(
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-alpn", "h2,http/1.1"]
                + ["-cert", certificates["leaf"], "-key", certificates.key("leaf")],
            input: input.reader
        )
        var port: UInt16?
        while port == nil, let line = server.readLine() {
            if line.hasPrefix("ACCEPT") { port = line.split(separator: ":").last.flatMap { UInt16($0) } }
        }
        let bench = try ProbeBench()
        let results = bench.begin(try request("https://target.test:\(try #require(port))/", version))
        // The second line of what a client begins with.
        while let line = server.readLine(), !line.hasPrefix("SM") {}
        let settings = HTTP2Script.frame(4, flags: 0, stream: 0, []) + HTTP2Script.frame(4, flags: 1, stream: 0, [])
        let answer = settings + refusal.frame
        try systemCall("write") { unsafe write(input.writer.number, answer, answer.count) }
        let result = try await results.next()
        #expect(result.reason == .httpProtocolError, "\(String(describing: result.reason)) \(result.detail)")
    }
}
