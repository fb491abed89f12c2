// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import HTTPServer
import LinuxIO
import Synchronization
import TestSupport
import Testing

@Suite("TLS", .timeLimit(.minutes(15)))
struct TLSTests {
    @Test("requests, bodies, HEAD and keep-alive work over TLS 1.2 and 1.3; older versions are refused")
    func requests() throws {
        let server = try SecureServer()
        #expect(try server.curl([server.url("/a?b=c")]) == "GET\n/a\nb=c\n")
        let body = String(repeating: "x", count: 200_000)
        let file = try server.folder.write(body, to: "body")
        let put = try server.curl(["-X", "PUT", "--data-binary", "@\(file)", "-H", "Expect:", server.url("/b")])
        #expect(put == "PUT\n/b\n-\n" + body)
        #expect(try server.curl(["-I", server.url("/")]).hasPrefix("HTTP/1.1 200 OK\r\n"))
        let count = "%{num_connects} %{http_version}\n"
        let many = try server.curl([
            "-o", "/dev/null", "-o", "/dev/null", "-w", count, server.url("/1"), server.url("/2"),
        ])
        #expect(many == "1 1.1\n0 1.1\n")
        let version = ["-o", "/dev/null", server.url("/")]
        #expect(throws: Never.self) { try server.curl(["--tls-max", "1.2"] + version) }
        #expect(throws: Never.self) { try server.curl(["--tlsv1.3"] + version) }
        let old = ["--ciphers", "DEFAULT@SECLEVEL=0", "--tlsv1.0", "--tls-max", "1.1"]
        let refused = #expect(throws: Command.Failure.self) { try server.curl(old + version) }
        #expect(refused?.status == 35)
    }

    @Test("plain HTTP and random bytes on its port get no answer and do no harm")
    func plainText() async throws {
        let server = try SecureServer()
        var random = SeededGenerator(seed: 7)
        for number in 0..<200 {
            let client = try RawClient(port: server.server.port)
            if number == 0 {
                try client.send(RawClient.head("GET", "/"))
            } else {
                _ = client.trySend((0..<(random.next() % 600)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            }
            client.finishSending()
            #expect(try !String(decoding: client.readToEnd(), as: UTF8.self).contains("HTTP/1.1"))
        }
        #expect(try server.curl([server.url("/good")]) == "GET\n/good\n-\n")
        await eventually("all are gone") { server.server.statistics.openConnections == 0 }
        #expect(server.server.statistics.requests == 1)
        // One line for every such client would fill a disk.
        #expect(server.lines.count < 50)
    }

    @Test("a client without a TLS handshake is disconnected after the time limit for a request's header")
    func silentClient() async throws {
        let server = try SecureServer(adjust: { $0.limits.headerTimeout = .milliseconds(300) })
        let silent = try RawClient(port: server.server.port)
        #expect(try silent.readToEnd().isEmpty)
        await eventually("it was counted") { server.server.statistics.slowConnections == 1 }
    }

    @Test("a request that comes too slowly gets its 408 encrypted")
    func slowRequest() throws {
        let server = try SecureServer(adjust: { $0.limits.headerTimeout = .milliseconds(700) })
        let (process, input) = try server.session()
        try send("GET / HTTP/1.1\r\nHost: test\r\n", to: input)
        let answer = process.readAll()
        #expect(answer.contains("HTTP/1.1 408 ") && answer.contains("application/problem+json"), "\(answer)")
        withExtendedLifetime(input) {}
    }

    private func send(_ text: String, to pipe: Pipe) throws {
        let bytes = Array(text.utf8)
        try systemCall("write") { unsafe write(pipe.writer.number, bytes, bytes.count) }
    }

    /// Answers any GET with the next source that the test has laid out.
    private func streams(
        _ sources: [TestSource],
        adjust: (inout HTTPServerSettings) -> Void = { _ in }
    ) throws -> SecureServer {
        let left = Mutex(sources)
        return try SecureServer(
            handler: { request in
                guard request.path == "/events", let source = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() })
                else { return HTTPResponse(status: 200, body: .bytes([0x2e])) }
                return HTTPResponse(
                    status: 200,
                    headers: [HTTPHeader("Content-Type", "text/event-stream")],
                    body: .stream(source)
                )
            },
            adjust: adjust
        )
    }

    @Test("100 subscribers get every event, and a proper end when the server stops")
    func subscribers() async throws {
        let count = 100
        let sources = (0..<count).map { _ in TestSource() }
        let server = try streams(sources)
        let output = server.folder.path(of: "stream")
        let clients = try ChildProcess(
            server.curlWords() + [
                "-N", "-Z", "--parallel-immediate", "--parallel-max", "\(count)", "-o", "\(output)-#1",
                server.url("/events?[1-\(count)]"),
            ]
        )
        await eventually("all streams are open") { server.server.statistics.openStreams == count }
        for number in 0..<50 {
            for source in sources { source.add("data: \(number)\n\n") }
            server.server.wakeStreams()
        }
        let expected = (0..<50).map { "data: \($0)\n\n" }.joined()
        await eventually("all events are written") {
            server.server.statistics.streamedBytes >= UInt64(count * expected.utf8.count)
        }
        server.server.stop(deadline: .seconds(5))
        // Without the TLS end of each stream curl would complain.
        let complaints = clients.readAll()
        #expect(clients.wait() == 0, "\(complaints)")
        for number in 1...count {
            let bytes = try FileContents.read("\(output)-\(number)", limit: 1 << 20)
            #expect(String(decoding: bytes, as: UTF8.self) == expected)
        }
        for source in sources { #expect(source.ends == 1) }
    }

    @Test("the end of a stream is a TLS close_notify, so that clients can detect a cut connection")
    func properEnd() async throws {
        let source = TestSource([.bytes(Array("data: 1\n\n".utf8)), .end(Array("data: 2\n\n".utf8))])
        let server = try streams([source])
        let (process, input) = try server.session()
        try send(RawClient.head("GET", "/events"), to: input)
        let answer = process.readAll()
        #expect(answer.hasSuffix("data: 1\n\ndata: 2\n\n"), "\(answer)")
        #expect(!answer.contains("eof while reading"), "\(answer)")
        withExtendedLifetime(input) {}
    }

    @Test("a piece of many megabytes arrives whole at a client that reads late and slowly")
    func largePiece() async throws {
        let bytes = (0..<6_000_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 7) }
        let source = TestSource([.bytes([1]), .bytes(bytes), .bytes([2, 3]), .end([4])])
        let server = try streams([source], adjust: { $0.streamSendBuffer = 16 * 1024 })
        let output = server.folder.path(of: "large")
        _ = try server.curl(["-N", "--limit-rate", "4M", "-o", output, server.url("/events")])
        #expect(try FileContents.read(output, limit: 10_000_000) == [1] + bytes + [2, 3, 4])
    }

    @Test("a subscriber that does not read delays neither another nor a request, and is ended")
    func stalledSubscriber() async throws {
        let stuck = TestSource(endless: [UInt8](repeating: 0x78, count: 4000))
        let quick = TestSource()
        let server = try streams(
            [stuck, quick],
            adjust: {
                $0.streamSendBuffer = 16 * 1024
                $0.limits.stallTimeout = .seconds(15)
            }
        )
        // Nobody reads this client's output, so it stops reading, too.
        let (sleeper, first) = try server.session()
        try send(RawClient.head("GET", "/events"), to: first)
        await eventually("the first stream is open") { server.server.statistics.startedStreams == 1 }
        let (reader, second) = try server.session()
        try send(RawClient.head("GET", "/events"), to: second)
        await eventually("both streams are open") { server.server.statistics.startedStreams == 2 }
        while let line = reader.readLine(), line != "\r" {}
        for number in 0..<100 {
            quick.add("data: \(number)\n\n")
            server.server.wakeStreams()
            #expect(reader.readLine() == "data: \(number)")
            #expect(reader.readLine() == "")
        }
        #expect(try server.curl([server.url("/plain")]) == ".")
        await eventually("the one that sleeps is ended") { server.server.statistics.stalledStreams == 1 }
        await eventually("and nobody else") { server.server.statistics.openStreams == 1 }
        #expect(stuck.ends == 1 && quick.ends == 0)
        withExtendedLifetime((sleeper, first, second)) {}
    }

    @Test("a new certificate is presented to new connections; an open stream continues")
    func replacement() async throws {
        let source = TestSource()
        let server = try streams([source])
        let other = try SelfSignedCertificate("other", in: server.folder)
        let first = try String(decoding: FileContents.read(server.certificate.path, limit: 1 << 16), as: UTF8.self)
        let old = try server.folder.write(first, to: "old.pem")
        let stream = try ChildProcess(server.curlWords(trusting: old) + ["-N", server.url("/events")])
        await eventually("the stream is open") { server.server.statistics.openStreams == 1 }
        for round in 0..<20 {
            // Read while the files change, too.
            #expect(isUnchanged(server.server.reloadCertificates()))
            source.add("data: \(round)\n")
            server.server.wakeStreams()
            #expect(stream.readLine() == "data: \(round)")
        }
        #expect(try server.curl([server.url("/")], trusting: old) == ".")
        try server.certificate.replace(by: other)
        let reloads = server.server.reloadCertificates()
        guard case .replaced(let expiry?)? = reloads.first?.outcome else {
            Issue.record("not replaced: \(reloads)")
            return
        }
        #expect(expiry > Int64(time(nil)) && expiry < Int64(time(nil)) + 3 * 86_400)
        await eventually("the new one is shown") {
            (try? server.curl([server.url("/")], trusting: other.path)) == "."
        }
        let refused = #expect(throws: Command.Failure.self) { try server.curl([server.url("/")], trusting: old) }
        #expect(refused?.status == 60)
        source.add("data: still here\n")
        server.server.wakeStreams()
        #expect(stream.readLine() == "data: still here")
        server.server.stop(deadline: .seconds(5))
        #expect(stream.wait() == 0)
    }

    private func isUnchanged(_ reloads: [CertificateReload]) -> Bool {
        reloads.count == 1 && reloads.allSatisfy { if case .unchanged = $0.outcome { true } else { false } }
    }

    @Test("an unusable pair is refused without printing the key, and the old one stays")
    func unusablePairs() throws {
        let server = try SecureServer()
        let folder = server.folder
        let other = try SelfSignedCertificate("other", in: folder)
        let key = try String(decoding: FileContents.read(other.key, limit: 1 << 16), as: UTF8.self)
        let certificate = try String(
            decoding: FileContents.read(server.certificate.path, limit: 1 << 16),
            as: UTF8.self
        )
        try Command.run([
            "openssl", "pkcs8", "-topk8", "-in", other.key, "-out", folder.path(of: "locked"), "-passout",
            "pass:secret",
        ])
        let locked = try String(decoding: FileContents.read(folder.path(of: "locked"), limit: 1 << 16), as: UTF8.self)
        let cases: [(certificate: String, key: String, words: String)] = [
            (certificate, key, "does not match the first certificate"),
            (certificate, "", "no private key"),
            (certificate, "secretsecretsecret", "no private key"),
            (certificate, String(key.dropLast(60)), "no private key"),
            (certificate, locked, "is encrypted"),
            ("", key, "does not contain a chain"),
            ("junk", key, "does not contain a chain"),
            (key, key, "does not contain a chain"),
        ]
        for (index, pair) in cases.enumerated() {
            try folder.replace(pair.certificate, at: "served.pem")
            try folder.replace(pair.key, at: "served.key")
            guard case .refused(let error)? = server.server.reloadCertificates().first?.outcome else {
                Issue.record("case \(index) was taken")
                continue
            }
            #expect(error.code == .unusableCertificate)
            #expect(error.message.contains(pair.words), "case \(index): \(error.message)")
            for line in key.split(separator: "\n").map(String.init) + ["secret"] {
                #expect(!error.message.contains(line))
            }
            let trusted = try folder.write(certificate, to: "trusted.pem")
            #expect(try server.curl([server.url("/")], trusting: trusted) == "GET\n/\n-\n")
        }
        try Command.run(["rm", server.certificate.key])
        guard case .refused(let error)? = server.server.reloadCertificates().first?.outcome else {
            Issue.record("a missing key was taken")
            return
        }
        #expect(error.message.contains(server.certificate.key))
    }

    @Test("a server with an unusable certificate does not start, and leaves no socket behind")
    func unusableAtStart() throws {
        let folder = try TemporaryFolder()
        let free = try TestServer()
        let port = free.server.port
        free.server.stop(deadline: .zero)
        let files = CertificateFiles(certificate: folder.path(of: "none.pem"), key: folder.path(of: "none.key"))
        let error = #expect(throws: HTTPServerError.self) {
            try TestServer(adjust: {
                $0.listeners = [Listener(.address(.tcp(host: "127.0.0.1", port: port)), certificate: files)]
            })
        }
        #expect(error?.code == .unusableCertificate)
        #expect(throws: Never.self) { try TestServer([.tcp(host: "127.0.0.1", port: port)]) }
    }

    @Test("one server has sockets with TLS and without, each with its own certificate")
    func severalSockets() throws {
        let folder = try TemporaryFolder()
        let pairs = try ["one", "two"].map { try SelfSignedCertificate($0, in: folder) }
        let path = folder.path(of: "socket")
        let server = try TestServer(adjust: { settings in
            settings.listeners += pairs.map { pair in
                Listener(
                    .address(.tcp(host: "127.0.0.1", port: 0)),
                    certificate: CertificateFiles(certificate: pair.path, key: pair.key)
                )
            }
            settings.listeners.append(Listener(.address(.unix(path: path, mode: 0o600))))
        })
        #expect(try server.client().request("GET", "/").status == 200)
        #expect(try RawClient(path: path).request("GET", "/").status == 200)
        let ports = server.server.addresses.compactMap { if case .tcp(_, let port) = $0 { port } else { nil } }
        #expect(ports.count == 3)
        for (port, pair) in zip(ports.dropFirst(), pairs) {
            let answer = try Command.run(["curl", "-sS", "--cacert", pair.path, "https://localhost:\(port)/x"])
            #expect(answer == "GET\n/x\n-\n")
        }
    }
}
