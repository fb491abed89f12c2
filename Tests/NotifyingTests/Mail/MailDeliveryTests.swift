// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Probing
import TestSupport
import Testing

@testable import Notifying

@Suite("Delivery by mail, to a real server", .timeLimit(.minutes(15))) struct MailDeliveryTests {
    private func send(_ message: Message, _ settings: MailSettings) throws -> SendOutcome {
        try ReceiverSettings.Channel.email(settings).send(message)
    }

    private func failure(_ outcome: SendOutcome) -> DeliveryFailure? {
        if case .failed(let failure, _) = outcome { failure } else { nil }
    }

    private func refusal(_ outcome: SendOutcome) -> DeliveryFailure? {
        if case .refused(let failure) = outcome { failure } else { nil }
    }

    @Test("An incident's messages arrive by STARTTLS with a password, as mail that a parser reads, in one thread")
    func thread() throws {
        let server = try MailServerProcess("starttls", needsUser: true)
        var settings = try server.settings(to: "ops@example.org", "anna@example.net")
        settings.server.login = ("reachd", try server.secret("s3cret"))
        let detail =
            "connect: Connection refused\n.\n..dots\r\nBcc: eve@example.org \(String(repeating: "long ", count: 200))"
        let messages = [
            Message.down(name: "Datenbank ü\r\nBcc: eve@example.org", detail: detail).of(.opened),
            .down().of(.updated), .up().of(.closed),
        ]
        #expect(
            try messages.map { try send($0, settings) } == [
                .accepted(status: 250), .accepted(status: 250), .accepted(status: 250),
            ]
        )
        let mails = try (0..<3).map { _ in try #require(server.next()) }
        for mail in mails {
            #expect(mail.text("$.sender") == "reachd@example.org" && mail.text("$.recipients[1]") == "anna@example.net")
            #expect(mail.body.contains(#""is_authenticated": true, "is_secure": true"#))
            #expect(mail.body.contains(#""has_bare_line_ends": false, "is_ascii": true"#))
            #expect((mail.number("$.longest_line") ?? .max) <= 78)
            #expect(mail.body.contains(#""defects": []"#) && mail.text("$.type") == "multipart/alternative")
            #expect(mail.text("$.headers['from']") == "reachd <reachd@example.org>")
            #expect(mail.text("$.headers['to']") == "ops@example.org, anna@example.net")
            #expect(mail.text("$.headers['auto-submitted']") == "auto-generated")
            #expect(mail.text("$.headers['in-reply-to']") == "<reachd.i-7@example.org>")
            #expect(mail.text("$.headers['references']") == "<reachd.i-7@example.org>")
            #expect(!mail.body.contains(#""bcc""#))
        }
        #expect(
            mails.map { $0.text("$.headers['message-id']") }
                == [
                    "<reachd.message.e-7@example.org>", "<reachd.message.e-7@example.org>",
                    "<reachd.message.e-8@example.org>",
                ]
        )
        #expect(
            mails.map { $0.text("$.headers['subject']") } == [
                "🔴 Database is down: connection refused", "🔴 Update: Database is down: connection refused",
                "🟢 Resolved: Database is down: connection refused (down for 4 min)",
            ]
        )
        #expect(mails[0].text("$.date") == "2026-11-18T11:06:40+00:00")
        let plain = try #require(mails[0].text("$.plain"))
        #expect(
            plain.hasPrefix(
                "🔴 Database is down: connection refused\n\nconnect: Connection refused\n.\n..dots\nBcc: eve@example.org long "
            )
        )
        #expect(plain.contains("\nCause: the target itself\n"))
        #expect(plain.hasSuffix("\n\nhttps://reachd.example.org/?incident=7\n"))
        let html = try #require(mails[1].text("$.html"))
        #expect(html.contains("<a href=\"https://reachd.example.org/?incident=7\">Open in reachd</a>"))
        #expect(html.contains("<td>the target itself</td>") && html.contains("#d1242f"))
    }

    @Test(
        "A test message arrives with TLS from the start, and without TLS if the settings say so",
        arguments: ["tls", "none"]
    )
    func securities(_ mode: String) throws {
        let server = try MailServerProcess(mode)
        let receiver = ReceiverSettings(name: "mail", channel: .email(try server.settings(to: "ops@example.org")))
        #expect(try TestDelivery(receiver).run() == .init(isAccepted: true, words: "accepted with status 250"))
        let mail = try #require(server.next())
        #expect(mail.text("$.headers['subject']") == "🔵 Test of reachd")
        #expect(mail.body.contains("\"is_secure\": \(mode == "tls")"))
    }

    @Test(
        "No message goes to a server that is not trusted, or that does not offer STARTTLS",
        arguments: ["starttls", "tls", "none"]
    )
    func untrusted(_ mode: String) throws {
        let server = try MailServerProcess(mode)
        var settings = try server.settings(to: "ops@example.org")
        settings.server.tls.authorityFile = nil
        if mode == "none" { settings.server.security = .startTLS }
        let failure = try #require(failure(try send(.down(), settings)))
        #expect(failure.code == (mode == "none" ? "starttls_refused" : "tls_self_signed"), "\(failure.detail)")
        #expect(!failure.detail.isEmpty)
    }

    @Test("A wrong password is a refusal, and the password is in no words")
    func password() throws {
        let server = try MailServerProcess("starttls", needsUser: true)
        var settings = try server.settings(to: "ops@example.org")
        settings.server.login = ("reachd", try server.secret("wr0ng"))
        let refusal = try #require(refusal(try send(.down(), settings)))
        #expect(refusal.code == "smtp_535" && !refusal.detail.contains("wr0ng"))
        settings.server.login = ("reachd", "/nonexistent/password")
        #expect(failure(try send(.down(), settings))?.code == "credentials_unavailable")
    }

    @Test("Replies of 400 to 499 are retried, those from 500 on are refusals; the server's words are the reason")
    func replies() throws {
        let server = try MailServerProcess("none")
        func outcome(_ recipients: String...) throws -> SendOutcome {
            var settings = try server.settings(to: "ops@example.org")
            settings.to = recipients
            return try send(.down(), settings)
        }
        let detail = "the mail server replied 450 4.2.0 come again to RCPT TO:<later@example.org>"
        #expect(
            try outcome("later@example.org")
                == .failed(DeliveryFailure(code: "smtp_450", detail: detail), retryAfter: nil)
        )
        #expect(failure(try outcome("busy@example.org"))?.code == "smtp_421")
        // All or none: nothing is sent to ops, and it is sent again.
        #expect(failure(try outcome("ops@example.org", "later@example.org"))?.code == "smtp_450")
        #expect(refusal(try outcome("unknown@example.org"))?.code == "smtp_550")
        #expect(refusal(try outcome("content@example.org"))?.code == "smtp_554")
    }

    @Test("A server that closes the connection, says nothing or does not listen is a failure")
    func faults() throws {
        let server = try MailServerProcess("none")
        let closed = try #require(failure(try send(.down(), server.settings(to: "leave@example.org"))))
        #expect(["connection_closed", "connection_reset"].contains(closed.code), "\(closed)")
        var silent = try server.settings(to: "silent@example.org")
        silent.timeout = .milliseconds(300)
        #expect(failure(try send(.down(), silent))?.code == "timeout")
        let hook = try HookServer()
        hook.close()
        var absent = try MailSettings(server: MailServer("smtp://127.0.0.1:\(hook.port)"), from: "a@b", to: ["c@d"])
        absent.server.security = .none
        #expect(failure(try send(.down(), absent))?.code == "connect_refused")
    }

    @Test("A mail that is to come again is sent again, and the receiver's next one after it")
    func retry() async throws {
        let server = try MailServerProcess("none")
        var receiver = ReceiverSettings(name: "mail", channel: .email(try server.settings(to: "once@example.org")))
        receiver.pace.groupWait = .zero
        receiver.retry.firstPause = .milliseconds(20)
        receiver.retry.longestPause = .milliseconds(100)
        let scene = try NotifierScene([receiver])
        scene.path(.up(), of: [0])
        scene.path(.down(.noCarrier), of: [0])
        #expect(server.next()?.text("$.headers['subject']") == "🟠 t0 is unreachable: no carrier")
        scene.path(.up(generation: 9), of: [0])
        #expect(server.next()?.text("$.headers['subject']")?.hasPrefix("🟢 Resolved: t0 is unreachable") == true)
        while scene.status("mail")?.delivered != 2 { await Task.yield() }
        #expect(scene.status("mail")?.lastError?.code == "smtp_450" && scene.status("mail")?.type == "email")
    }
}
