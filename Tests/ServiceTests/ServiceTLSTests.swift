// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport
import Testing

@Suite("The service with TLS", .timeLimit(.minutes(15)))
struct ServiceTLSTests {
    /// A service that listens without TLS and with it.
    private struct Secure {
        let folder: TemporaryFolder
        let pair: SelfSignedCertificate
        let service: RunningService
        let port: UInt16

        init() throws {
            folder = try TemporaryFolder()
            pair = try SelfSignedCertificate("served", in: folder)
            service = try RunningService(Self.text(pair))
            let line = service.waitForLine { $0.contains("listening") }
            port = try #require(line?.split(separator: ":").last.flatMap { UInt16($0) })
        }

        static func text(_ pair: SelfSignedCertificate) -> String {
            """
            listen:
              - 127.0.0.1:0
              - { address: "127.0.0.1:0", tls: { cert_file: \(pair.path), key_file: \(pair.key) } }
            targets: [{id: one, address: 127.0.0.1}]
            """
        }

        func curl(_ path: String, trusting certificate: String) throws -> String {
            try Command.run(["curl", "-sS", "--cacert", certificate, "https://localhost:\(port)\(path)"])
        }
    }

    @Test("the service responds to curl over TLS, keeps the plain socket, and refuses plain HTTP on the other")
    func status() throws {
        let secure = try Secure()
        #expect(try secure.curl("/status", trusting: secure.pair.path).contains("\"sequence\":"))
        #expect(try secure.service.get("/livez").status == 200)
        #expect(throws: (any Error).self) { try HTTPClient.get("/livez", port: secure.port) }
        #expect(try secure.curl("/livez", trusting: secure.pair.path).contains("ok"))
    }

    @Test(
        "new files are used on SIGHUP and by themselves; streams over the old certificate continue",
        arguments: [true, false]
    )
    func replaced(onSignal: Bool) throws {
        let secure = try Secure()
        let old = secure.folder.path(of: "old.pem")
        try Command.run(["cp", secure.pair.path, old])
        let stream = try ChildProcess([
            "curl", "-sSN", "--cacert", old, "https://localhost:\(secure.port)/events?event=config",
        ])
        while let line = stream.readLine(), !line.hasPrefix("event: hello") {}
        let new = try SelfSignedCertificate("new", in: secure.folder)
        try secure.pair.replace(by: new)
        if onSignal { secure.service.process.kill(SIGHUP) }
        #expect(
            secure.service.waitForLine { $0.contains("certificate replaced") && $0.contains("expires_in_days=") }
                != nil
        )
        while (try? secure.curl("/livez", trusting: new.path)) == nil {}
        #expect(throws: Command.Failure.self) { try secure.curl("/livez", trusting: old) }
        try secure.service.reload(Secure.text(secure.pair) + "\nauto_targets: false")
        while let line = stream.readLine() {
            guard line.hasPrefix("event: config") else { continue }
            break
        }
        secure.service.process.kill(SIGTERM)
        #expect(stream.wait() == 0)
        #expect(secure.service.process.wait() == 0)
    }

    @Test("unusable files are reported in the log without their content, and the old ones stay")
    func refused() throws {
        let secure = try Secure()
        let old = secure.folder.path(of: "old.pem")
        try Command.run(["cp", secure.pair.path, old])
        let key = try String(decoding: FileContents.read(secure.pair.key, limit: 1 << 16), as: UTF8.self)
        try secure.folder.replace("junk\n" + key.dropFirst(40), at: "served.key")
        let line = secure.service.waitForLine { $0.contains("rejected a certificate; keeping the old one") }
        #expect(line?.contains("no private key") == true)
        secure.service.process.kill(SIGHUP)
        #expect(secure.service.waitForLine { $0.contains("keeping the old one") } != nil)
        #expect(try secure.curl("/livez", trusting: old).contains("ok"))
        secure.service.process.kill(SIGTERM)
        let rest = secure.service.process.readAll()
        for secret in key.split(separator: "\n").dropFirst().dropLast().map(String.init) {
            #expect(!rest.contains(secret) && !secure.service.log.contains { $0.contains(secret) })
        }
    }

    @Test("files that cannot be used at the start end it with 78 and their names")
    func unusable() throws {
        let folder = try TemporaryFolder()
        let pair = try SelfSignedCertificate("served", in: folder)
        let other = try SelfSignedCertificate("other", in: folder)
        func run(_ certificate: String, _ key: String) throws -> Reachd.Result {
            let text = "listen: {address: '127.0.0.1:0', tls: {cert_file: \(certificate), key_file: \(key)}}"
            return try Reachd.run(["serve", "--config", try folder.write(text, to: "r.yaml")])
        }
        let missing = try run(pair.path, folder.path(of: "none"))
        #expect(missing.status == 78)
        #expect(missing.output.contains(folder.path(of: "none")))
        let mismatch = try run(pair.path, other.key)
        #expect(mismatch.status == 78)
        #expect(mismatch.output.contains("does not match the first certificate"))
        #expect(mismatch.lines.count == 1)
    }

    @Test("the health check uses an address without TLS if there is one, and otherwise verifies the server")
    func healthcheck() throws {
        let folder = try TemporaryFolder()
        let pair = try SelfSignedCertificate("served", in: folder)
        let tls = "tls: {cert_file: \(pair.path), key_file: \(pair.key)}"
        let socket = folder.path(of: "s")
        let both = try folder.write("listen: [{address: '127.0.0.1:0', \(tls)}, 'unix:\(socket)']", to: "both.yaml")
        let process = try Reachd.start(["serve", "--config", both])
        while let line = process.readLine(), !line.contains("watching") {}
        while try Reachd.run(["healthcheck", "--config", both]).status != 0 {}
        let secure = try Secure()
        while try secure.service.get("/readyz").status != 200 {}
        let only = try folder.write("listen: {address: '127.0.0.1:\(secure.port)', \(tls)}", to: "only.yaml")
        let result = try Reachd.run(["healthcheck", "--config", only])
        #expect(result.status == 1)
        #expect(result.output.contains("is not trusted; pass its authority with --cacert"))
        let url = ["healthcheck", "--url", "https://localhost:\(secure.port)", "--cacert"]
        #expect(try Reachd.run(url + [secure.pair.path]).status == 0)
        #expect(try Reachd.run(["healthcheck", "--config", only, "--insecure"]).status == 0)
        let plain = try Reachd.run(["healthcheck", "--url", "https://127.0.0.1:\(secure.service.port)"])
        #expect(plain.status == 1)
        #expect(plain.output.contains("the server may expect http://"))
    }
}
