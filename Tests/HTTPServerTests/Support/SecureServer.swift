// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import TestSupport

/// A server with TLS on a free port of the loopback, and the clients that talk to it.
final class SecureServer {
    let folder: TemporaryFolder
    /// The files that the server reads.
    let certificate: SelfSignedCertificate
    private let plain: TestServer

    var server: HTTPServer { plain.server }
    var lines: [String] { plain.lines.all }

    init(
        handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse = echo,
        adjust: (inout HTTPServerSettings) -> Void = { _ in }
    ) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let certificate = try SelfSignedCertificate("served", in: folder)
        self.certificate = certificate
        plain = try TestServer(handler: handler) { settings in
            settings.listeners = [
                Listener(
                    .address(.tcp(host: "127.0.0.1", port: 0)),
                    certificate: CertificateFiles(certificate: certificate.path, key: certificate.key)
                )
            ]
            // Between two lines of a test may lie longer than the default.
            settings.limits.heartbeat = .seconds(3600)
            adjust(&settings)
        }
    }

    /// What curl is called with before its own arguments: it trusts this certificate and no other.
    func curlWords(trusting path: String? = nil) -> [String] {
        ["curl", "-sS", "--max-time", "60", "--noproxy", "*", "--cacert", path ?? certificate.path]
    }

    func url(_ path: String) -> String { "https://localhost:\(server.port)\(path)" }

    /// What curl prints; throws when it fails.
    func curl(_ arguments: [String], trusting path: String? = nil) throws -> String {
        try Command.run(curlWords(trusting: path) + arguments)
    }

    /// Starts a TLS client that sends what is written to the pipe and prints what comes.
    func session(_ arguments: [String] = []) throws -> (process: ChildProcess, input: Pipe) {
        let input = try Pipe()
        let process = try ChildProcess(
            [
                "openssl", "s_client", "-quiet", "-connect", "127.0.0.1:\(server.port)", "-CAfile", certificate.path,
                "-verify_return_error",
            ] + arguments,
            input: input.reader
        )
        return (process, input)
    }
}
