// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Notifying
import Probing
import TestSupport

/// A real mail server, whose messages a real parser reads (`Fixtures/mail_server.py`).
final class MailServerProcess: Sendable {
    /// It ended before it listened.
    struct NotReady: Error {
        let output: String
    }

    let port: UInt16
    let certificate: SelfSignedCertificate
    private let mode: String
    private let process: ChildProcess
    private let folder: TemporaryFolder

    /// - Parameter mode: `starttls`, `tls` or `none`.
    init(_ mode: String, needsUser: Bool = false) throws {
        self.mode = mode
        folder = try TemporaryFolder()
        certificate = try SelfSignedCertificate("mail", in: folder)
        let tests = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
        let script = tests.joined(separator: "/") + "/Fixtures/mail_server.py"
        // Debian's Python, which has aiosmtpd.
        process = try ChildProcess(
            ["/usr/bin/python3", script, mode, certificate.path, certificate.key] + (needsUser ? ["auth"] : [])
        )
        var output = ""
        while let line = process.readLine() {
            if line.hasPrefix("ready "), let port = UInt16(line.dropFirst(6)) {
                self.port = port
                return
            }
            output += "\(line)\n"
        }
        throw NotReady(output: output)
    }

    /// A receiver at this server, whose certificate is trusted.
    func settings(to recipients: String...) throws -> MailSettings {
        var server = try MailServer("\(mode == "tls" ? "smtps" : "smtp")://127.0.0.1:\(port)")
        if mode == "none" { server.security = .none }
        server.tls.authorityFile = certificate.path
        var settings = MailSettings(server: server, from: "reachd@example.org", to: recipients)
        settings.externalURL = "https://reachd.example.org/"
        return settings
    }

    /// The file of a password.
    func secret(_ text: String) throws -> String { try folder.write("\(text)\n", to: "password") }

    /// The next message that arrived.
    func next() -> MessageReading? {
        while let line = process.readLine() {
            if line.hasPrefix("{") { return MessageReading(body: line) }
        }
        return nil
    }
}
