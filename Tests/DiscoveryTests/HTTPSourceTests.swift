// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import Discovery
import HTTPServer
import LinuxIO
import Schema
import Synchronization
import TestSupport
import Testing

@Suite("Lists of targets from HTTP servers")
struct HTTPSourceTests {
    /// One look of a source, and the request that the server got.
    private func look(
        _ reply: HookServer.Reply,
        _ change: (inout HTTPSourceSettings) -> Void = { _ in }
    ) throws -> (report: SourceReport, request: HookServer.Request?) {
        let server = try HookServer { _, _ in reply }
        defer { server.close() }
        var settings = HTTPSourceSettings(url: "http://127.0.0.1:\(server.port)/list?site=a")
        change(&settings)
        let run = SourceRun(looks: 1)
        let source = HTTPSource(settings, pauses: run.pauses) { bytes throws(SourceError) in
            let text = String(decoding: bytes, as: UTF8.self)
            guard text != "bad" else { throw SourceError(.malformed, "is bad") }
            return [DiscoveredItem(address: text, place: .source("test"))]
        }
        let reports = run.reports(of: source)
        return (try #require(reports.first), server.requests.events.first)
    }

    @Test("the request is that of Prometheus' HTTP service discovery")
    func request() throws {
        let (report, request) = try look(.content("a.test:1", type: "application/json; charset=utf-8"))
        #expect(report.items?.map(\.address) == ["a.test:1"])
        #expect(report.error == nil)
        #expect(request?.method == "GET")
        #expect(request?.target == "/list?site=a")
        #expect(request?.headers["x-prometheus-refresh-interval-seconds"] == "60")
        #expect(request?.headers["accept"] == "application/json")
        #expect(request?.headers["authorization"] == nil)
    }

    @Test("over TLS a list counts if its server is trusted: by the CA file, or by decision")
    func trust() throws {
        let folder = try TemporaryFolder()
        let certificate = try SelfSignedCertificate("inventory", in: folder)
        var listening = HTTPServerSettings(listen: [])
        listening.listeners = [
            Listener(
                .address(.tcp(host: "127.0.0.1", port: 0)),
                certificate: CertificateFiles(certificate: certificate.path, key: certificate.key)
            )
        ]
        let server = HTTPServer(settings: listening) { _ in
            HTTPResponse(
                status: 200,
                headers: [HTTPHeader("Content-Type", "application/json")],
                body: .bytes(Array("a.test:1".utf8))
            )
        }
        try server.start()
        defer { server.stop(deadline: .zero) }
        func look(_ change: (inout HTTPSourceSettings) -> Void) throws -> SourceReport {
            var settings = HTTPSourceSettings(url: "https://localhost:\(server.port)/")
            change(&settings)
            let run = SourceRun(looks: 1)
            let source = HTTPSource(settings, pauses: run.pauses) { bytes throws(SourceError) in
                [DiscoveredItem(address: String(decoding: bytes, as: UTF8.self), place: .source("test"))]
            }
            return try #require(run.reports(of: source).first)
        }
        let unknown = try look { _ in }
        #expect(unknown.error?.code == .untrusted && unknown.items == nil)
        #expect(try look { $0.authorities = certificate.path }.items?.map(\.address) == ["a.test:1"])
        #expect(try look { $0.verifies = false }.items?.map(\.address) == ["a.test:1"])
        let missing = try look { $0.authorities = folder.path(of: "none.pem") }
        #expect(missing.error?.code == .file && missing.items == nil)
    }

    @Test("credentials are read from their files for each request")
    func credentials() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("s3cret\n", to: "token")
        let bearer = try look(.status(200)) { $0.authorization = .bearerFile(file) }
        #expect(bearer.request?.headers["authorization"] == "Bearer s3cret")
        let basic = try look(.status(200)) { $0.authorization = .basicFile(user: "u", file: file) }
        #expect(basic.request?.headers["authorization"] == "Basic dTpzM2NyZXQ=")
        // A second line would be a header of its own.
        try folder.replace("a\nX-Other: b\n", at: "token")
        let bad = try look(.status(200)) { $0.authorization = .bearerFile(file) }
        #expect(bad.report.error?.code == .file)
        #expect(bad.request == nil)
        let missing = try look(.status(200)) { $0.authorization = .bearerFile(folder.path(of: "none")) }
        #expect(missing.report.error?.code == .file)
    }

    @Test(
        "other responses are errors with stable codes",
        arguments: [
            (HookServer.Reply.status(401), SourceError.Code.denied), (.status(403), .denied), (.status(500), .status),
            (.status(302), .status), (.status(200), .malformed), (.content("[]", type: "text/html"), .malformed),
            (.content("[]", type: "application/json; charset=latin1"), .malformed),
            (.content("bad", type: "application/json"), .malformed), (.hangUp, .malformed),
        ]
    )
    func errors(reply: HookServer.Reply, code: SourceError.Code) throws {
        let report = try look(reply).report
        #expect(report.error?.code == code)
        #expect(report.items == nil)
    }

    @Test("a server that does not answer, or is not there")
    func unreachable() throws {
        #expect(try look(.hang) { $0.timeout = .milliseconds(200) }.report.error?.code == .timeout)
        let port = try LoopbackPort.free()
        #expect(try look(.hang) { $0.url = "http://127.0.0.1:\(port)/" }.report.error?.code == .unreachable)
    }

    @Test("another thread ends a request that hangs")
    func cancelled() throws {
        let server = try HookServer { _, _ in .hang }
        defer { server.close() }
        var client = BlockingHTTPClient(HTTPEndpoint(url: "http://127.0.0.1:\(server.port)"), timeout: .seconds(60))
        client.isCancelled = { server.requests.count == 1 }
        do throws(HTTPClientError) {
            _ = try client.get("/", limit: 1)
            Issue.record("it was answered")
        } catch {
            #expect(error.code == .cancelled)
        }
    }

    @Test("an unchanged list is reported as such")
    func unchanged() throws {
        let server = try HookServer { _, count in
            count < 2 ? .content("a", type: "application/json") : .hang
        }
        let run = SourceRun(looks: 2)
        let source = HTTPSource(
            HTTPSourceSettings(url: "http://127.0.0.1:\(server.port)/"),
            pauses: run.pauses
        ) { bytes throws(SourceError) in
            [DiscoveredItem(address: String(decoding: bytes, as: UTF8.self), place: .source("test"))]
        }
        let reports = run.reports(of: source)
        #expect(reports.map { $0.items?.count } == [1, nil])
        #expect(reports.allSatisfy { $0.error == nil })
        server.close()
    }
}

/// A source that runs for so many looks.
struct SourceRun {
    let pauses: TestPauses

    init(looks: Int) { pauses = TestPauses(count: looks) }

    /// The reports.
    func reports(of source: any DiscoverySource) -> [SourceReport] {
        let reports = Mutex<[SourceReport]>([])
        source.start { report in reports.withLock { $0.append(report) } }
        pauses.waitForLast()
        source.stop()
        return reports.withLock { $0 }
    }
}
