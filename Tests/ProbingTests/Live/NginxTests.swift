// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import Probing
import ServerTrust
import TestSupport
import Testing

/// The kinds http and grpc against a real server.
@Suite(.timeLimit(.minutes(15)), .oneSite) struct NginxTests {
    static let loopback = IPAddress(ipv4: 0x7F00_0001)

    /// One server for all: plain, over TLS, over TLS with client certificates, over TLS 1.2.
    final class Site: Sendable {
        let certificates: TestCertificates
        let server: Nginx

        init() throws {
            let certificates = try TestCertificates()
            self.certificates = certificates
            let folder = certificates.folder
            try certificates.shell("cat leaf.pem middle.pem > chain.pem; printf 'me:{PLAIN}secret\\n' > users")
            try certificates.shell(
                "mkdir files; printf 'private' > files/a; printf '\\0\\0\\0\\0\\2\\10\\1' > files/serving"
            )
            server = try Nginx(ports: 4, in: folder) { ports, path in
                let pages = """
                    gzip on; gzip_min_length 1; gzip_types text/plain;
                    location = / { return 200 "$server_protocol $scheme $ssl_server_name $http_host"; }
                    location = /long { return 200 "\(String(repeating: "hello there ", count: 300))"; }
                    location = /secure { return 301 https://good.test:\(ports[1])/; }
                    location /files/ { root \(path); auth_basic "x"; auth_basic_user_file \(path)/users; }
                    location = /grpc.health.v1.Health/Check {
                        if ($http_x_token != "abc") { return 403; }
                        if ($http_host != "health.test") { return 404; }
                        root \(path)/files; try_files /serving =404;
                        error_page 405 =200 /serving-page;
                    }
                    location = /serving-page {
                        internal; alias \(path)/files/serving; types { } default_type application/grpc;
                        add_header grpc-status 0 always;
                    }
                    """
                let tls =
                    "ssl_protocols TLSv1.2 TLSv1.3; ssl_certificate \(path)/chain.pem; ssl_certificate_key \(path)/leaf.key;"
                return """
                    server { listen 127.0.0.1:\(ports[0]); \(pages) }
                    server { listen 127.0.0.1:\(ports[1]) \(Nginx.http2); \(tls) \(pages) }
                    server {
                        listen 127.0.0.1:\(ports[2]) ssl; \(tls)
                        ssl_client_certificate \(path)/ca.pem; ssl_verify_client on; ssl_verify_depth 3;
                        location / { return 200 "$ssl_client_s_dn"; }
                    }
                    server {
                        listen 127.0.0.1:\(ports[3]) ssl; ssl_protocols TLSv1.2;
                        ssl_certificate \(path)/chain.pem; ssl_certificate_key \(path)/leaf.key;
                        location / { return 200 "old"; }
                    }
                    """
            }
        }

        var trusted: TLSSettings { TLSSettings(authorityFile: certificates["ca"]) }
    }

    @TaskLocal static var site: Site?

    func request(
        _ url: String,
        edit: (inout HTTPProbeSettings) throws -> Void = { _ in }
    ) throws -> ProbeRequest {
        var settings = HTTPProbeSettings(url: try HTTPURL(url))
        settings.tls = try #require(Self.site).trusted
        try edit(&settings)
        return ProbeRequest(host: .address(Self.loopback), kind: .http(settings), timeout: .seconds(60))
    }

    func run(
        _ url: String,
        edit: (inout HTTPProbeSettings) throws -> Void = { _ in }
    ) async throws -> ProbeResult {
        let bench = try ProbeBench(hosts: "127.0.0.1 good.test\n")
        return await bench.run(try request(url, edit: edit))
    }

    // MARK: Plain

    @Test("HTTP/1.1, with and without compression") func plain() async throws {
        let site = try #require(Self.site)
        let url = "http://good.test:\(site.server.ports[0])/long"
        for compresses in [true, false] {
            let result = try await run(url) {
                $0.acceptsCompression = compresses
                $0.expectation.headers = [.init("Content-Encoding", compresses ? .present : .absent)]
                $0.expectation.body = [.contains("there hello there")]
            }
            #expect(result.outcome == .success, "\(result.detail)")
            #expect(result.http?.bodySize == 3_600 && result.http?.contentType == "text/plain")
            #expect(result.tls == nil)
        }
    }

    @Test("Basic authentication") func authentication() async throws {
        let site = try #require(Self.site)
        let url = "http://good.test:\(site.server.ports[0])/files/a"
        #expect(try await run(url).reason == .unexpectedStatus)
        let file = try site.certificates.folder.write("secret\n", to: "password")
        let result = try await run(url) {
            $0.credentials = .basic(user: "me", passwordFile: file)
            $0.expectation.body = [.matches(try ProbePattern("^private$"))]
        }
        #expect(result.outcome == .success, "\(result.detail)")
    }

    @Test("From http to https") func upgrade() async throws {
        let site = try #require(Self.site)
        let result = try await run("http://good.test:\(site.server.ports[0])/secure") { $0.redirects = 1 }
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.http?.url == "https://good.test:\(site.server.ports[1])/" && result.http?.version == "2")
        #expect(result.tls?.isTrusted == true)
    }

    // MARK: TLS

    @Test("Versions over TLS, with a report", arguments: [HTTPVersion.any, .http1, .http2])
    func secure(version: HTTPVersion) async throws {
        let site = try #require(Self.site)
        let result = try await run("https://good.test:\(site.server.ports[1])/") {
            $0.version = version
            let line =
                version == .http1 ? "^HTTP/1.1 https good.test good.test:" : "^HTTP/2.0 https good.test good.test:"
            $0.expectation.body = [.matches(try ProbePattern(line))]
        }
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.http?.version == (version == .http1 ? "1.1" : "2"))
        #expect(Set(result.phases.keys) == [.connect, .tls, .request, .transfer])
        let report = try #require(result.tls)
        #expect(report.version == "TLSv1.3" && report.cipher != nil && report.isTrusted)
        #expect(report.applicationProtocol == (version == .http1 ? "http/1.1" : "h2"))
        #expect(report.chain.count == 2 && report.trust.expiry.verifiedChain != nil)
    }

    @Test("A server without HTTP/2 where it is wanted") func noHTTP2() async throws {
        let site = try #require(Self.site)
        let result = try await run("https://good.test:\(site.server.ports[3])/") { $0.version = .http2 }
        #expect(result.reason == .httpProtocolError, "\(String(describing: result.reason)) \(result.detail)")
        #expect(try await run("https://good.test:\(site.server.ports[3])/").outcome == .success)
    }

    @Test("tls_untrusted_root, tls_hostname_mismatch: with a report; and going on regardless") func untrusted()
        async throws
    {
        let site = try #require(Self.site)
        let good = "https://good.test:\(site.server.ports[1])/"
        let unknown = try await run(good) { $0.tls = TLSSettings() }
        #expect(unknown.reason == .tlsUntrustedRoot, "\(unknown.detail)")
        #expect(unknown.tls?.chain.count == 2 && unknown.tls?.version == "TLSv1.3" && unknown.http == nil)
        let bad = "https://bad.test:\(site.server.ports[1])/"
        let mismatch = try await run(bad)
        #expect(mismatch.reason == .tlsHostnameMismatch, "\(mismatch.detail)")
        let skipping = try await run(bad) { $0.tls = TLSSettings(policy: .permissive) }
        #expect(skipping.outcome == .success, "\(skipping.detail)")
        #expect(skipping.tls?.isTrusted == false)
    }

    @Test("The server name that is sent and verified can differ; so can the address") func serverName() async throws {
        let site = try #require(Self.site)
        let result = try await run("https://bad.test:\(site.server.ports[1])/") {
            $0.tls.serverName = "x.wild.test"
            let line = "^HTTP/2.0 https x.wild.test bad.test:\(site.server.ports[1])$"
            $0.expectation.body = [.matches(try ProbePattern(line))]
        }
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.http?.url == "https://bad.test:\(site.server.ports[1])/")
        let address = try await run("https://127.0.0.1:\(site.server.ports[1])/")
        #expect(address.outcome == .success, "\(address.detail)")
    }

    @Test("A client certificate") func identity() async throws {
        let site = try #require(Self.site)
        let url = "https://good.test:\(site.server.ports[2])/"
        let without = try await run(url)
        #expect(without.reason == .unexpectedStatus && without.http?.status == 400)
        let with = try await run(url) {
            $0.tls.certificateFile = site.certificates["client"]
            $0.tls.keyFile = site.certificates.key("client")
            $0.expectation.body = [.contains("CN=client")]
        }
        #expect(with.outcome == .success, "\(with.detail)")
        let missing = try await run(url) { $0.tls.certificateFile = "/nowhere" }
        #expect(missing.reason == .tlsFilesUnreadable)
    }

    @Test("tls_version_unsupported") func version() async throws {
        let site = try #require(Self.site)
        let result = try await run("https://good.test:\(site.server.ports[3])/") { $0.tls.minimumVersion = .tls13 }
        #expect(result.reason == .tlsVersionUnsupported, "\(result.detail)")
    }

    @Test("tls_alert, tls_handshake_failed, connection_closed") func handshakes() async throws {
        for (behaviour, reason) in [
            (TestPeer.Behaviour.saysAndCloses([0x15, 3, 3, 0, 2, 2, 40]), ProbeReason.tlsAlert),
            (.says(Array("220 mail.test ESMTP\r\n".utf8)), .tlsHandshakeFailed),
            (.saysAndCloses([]), .connectionClosed),
            (.halfCloses, .connectionClosed), (.resets, .connectionReset),
        ] {
            let peer = try TestPeer(SOCK_STREAM, behaviour)
            let result = try await run("https://good.test:\(peer.port)/")
            // A connection that is closed with our words unread is reset.
            let isReset = result.reason == .connectionReset && reason != .tlsHandshakeFailed
            #expect(
                result.reason == reason || isReset,
                "\(behaviour) \(String(describing: result.reason)): \(result.detail)"
            )
        }
    }

    @Test("A certificate's bound") func bound() async throws {
        let site = try #require(Self.site)
        let bench = try ProbeBench()
        var request = try request("https://good.test:\(site.server.ports[1])/")
        request.expiry.certificate = 400
        let result = await bench.run(request)
        #expect(result.outcome == .degraded && result.reason == .certificateExpiresSoon, "\(result.detail)")
    }

    @Test("An https target through a proxy: CONNECT, then TLS with the target") func tunnel() async throws {
        let peer = try TestPeer(
            SOCK_STREAM,
            .answers { $0.first == 0x43 ? Array("HTTP/1.1 200 OK\r\n\r\n".utf8) : Array("no TLS at all".utf8) }
        )
        let result = try await run("https://good.test/") {
            $0.proxy = HTTPProxy(host: .address(Self.loopback), port: peer.port)
        }
        // This proxy leads nowhere, but we have spoken TLS to it.
        #expect(result.reason == .tlsHandshakeFailed, "\(result.detail)")
    }

    // MARK: gRPC

    @Test("gRPC over TLS, with metadata and authority") func grpc() async throws {
        let site = try #require(Self.site)
        let bench = try ProbeBench()
        let token = try #require(HTTPHeader(name: "x-token", value: "abc"))
        var settings = GRPCProbeSettings(port: site.server.ports[1], tls: site.trusted)
        settings.tls?.serverName = "good.test"
        settings.metadata = [token]
        settings.authority = "health.test"
        var request = ProbeRequest(host: .address(Self.loopback), kind: .grpc(settings), timeout: .seconds(60))
        let result = await bench.run(request)
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.tls?.applicationProtocol == "h2")
        settings.authority = nil
        request.kind = .grpc(settings)
        #expect(await bench.run(request).reason == .grpcError)
        settings.tls = TLSSettings(serverName: "good.test")
        request.kind = .grpc(settings)
        #expect(await bench.run(request).reason == .tlsUntrustedRoot)
    }
}

/// One site for all tests of a suite, which ends with them.
struct OneSite: SuiteTrait, TestScoping {
    @concurrent func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let site = try NginxTests.Site()
        defer { site.server.stop() }
        try await NginxTests.$site.withValue(site) { try await function() }
    }
}

extension Trait where Self == OneSite {
    static var oneSite: OneSite { OneSite() }
}
