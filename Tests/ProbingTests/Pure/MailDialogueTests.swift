// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import Probing

@Suite("The dialogue with a mail server") struct MailDialogueTests {
    /// What a server says and what it is told, line by line.
    private func talk(
        _ replies: [String],
        login: (user: String, password: String)? = nil,
        isGreeted: Bool = false,
        content: String = "Subject: x\r\n\r\n.a\r\n..b\r\nc",
        recipients: [String] = ["a@b.c", "d@e.f"]
    ) throws -> (said: [String], decided: [MailReply], fault: ProbeFault?) {
        var decided: [MailReply] = []
        var dialogue = MailDialogue(
            Mail(sender: "r@example.org", recipients: recipients, content: Array(content.utf8)),
            login: login,
            isGreeted: isGreeted
        ) { decided.append($0) }
        var said: [String] = []
        var rest = replies[...]
        do throws(ProbeFault) {
            while true {
                switch try dialogue.next(mayLook: true) {
                case .send(let bytes): said.append(String(decoding: bytes, as: UTF8.self))
                case .receive, .receiveSlowly: dialogue.take(Array((rest.popFirst() ?? "").utf8))
                case .done: return (said, decided, nil)
                }
            }
        } catch {
            return (said, decided, error)
        }
    }

    private let good = ["250 ok\r\n", "250 ok\r\n", "251 forwards\r\n", "354 go\r\n", "250 queued as 1\r\n"]

    @Test("A mail is handed over command by command; a line that begins with a dot gets a second one")
    func success() throws {
        let (said, decided, fault) = try talk(
            ["220-hello\r\n220 there\r\n", "250-x\r\n", "250 SIZE\r\n"] + good
        )
        #expect(fault == nil && decided.map(\.text) == ["250 queued as 1"])
        #expect(
            said == [
                "EHLO example.org\r\n", "MAIL FROM:<r@example.org>\r\n", "RCPT TO:<a@b.c>\r\n", "RCPT TO:<d@e.f>\r\n",
                "DATA\r\n",
                "Subject: x\r\n\r\n..a\r\n...b\r\nc\r\n.\r\n", "QUIT\r\n",
            ]
        )
    }

    @Test(
        "After STARTTLS there is no greeting; the password is sent in the way that the server offers",
        arguments: ["PLAIN", "LOGIN"]
    )
    func login(_ mechanism: String) throws {
        let steps = mechanism == "PLAIN" ? ["235 ok\r\n"] : ["334 VXNlcg==\r\n", "334 UGFzcw==\r\n", "235 ok\r\n"]
        let (said, _, fault) = try talk(
            ["250-x\r\n250-auth CRAM-MD5 \(mechanism.lowercased())\r\n250 y\r\n"] + steps + good,
            login: ("ü", "s3cret"),
            isGreeted: true,
            recipients: ["a@b.c", "d@e.f"]
        )
        #expect(fault == nil && said[0] == "EHLO example.org\r\n")
        #expect(
            said[1..<(1 + steps.count)]
                == (mechanism == "PLAIN"
                    ? ["AUTH PLAIN AMO8AHMzY3JldA==\r\n"] : ["AUTH LOGIN\r\n", "w7w=\r\n", "czNjcmV0\r\n"])
        )
    }

    @Test("A server without a way to authenticate gets no password and no mail")
    func noLogin() throws {
        let (said, decided, fault) = try talk(["220 x\r\n", "250-x\r\n250 AUTH GSSAPI\r\n"], login: ("u", "p"))
        #expect(said == ["EHLO example.org\r\n"] && decided.isEmpty && fault?.reason == .unexpectedResponse)
    }

    @Test("A reply from 400 on ends the dialogue, wherever it comes", arguments: 0..<6)
    func refusals(index: Int) throws {
        var replies = ["220 x\r\n"] + ["250 ok\r\n"] + good
        replies.insert("452 4.3.1 full\r\n", at: min(index, replies.count))
        let (_, decided, fault) = try talk(replies)
        #expect(decided == [MailReply(code: 452, text: "452 4.3.1 full")] && fault?.reason == .unexpectedResponse)
        #expect(fault?.detail.hasPrefix("the mail server replied 452 4.3.1 full to ") == true)
    }

    @Test("A server that ends, talks nonsense or without end is a fault")
    func faults() throws {
        #expect(try talk([]).fault?.reason == .connectionClosed)
        #expect(try talk(["HTTP/1.1 400 Bad Request\r\n"]).fault?.reason == .malformedResponse)
        #expect(try talk(["220 x\r\n", "354 go\r\n"]).fault?.reason == .unexpectedResponse)
        #expect(
            try talk(Array(repeating: "220-" + String(repeating: "x", count: 10_000), count: 9)).fault?.reason
                == .malformedResponse
        )
    }

    @Test("Random bytes never trap, and decide nothing", arguments: UInt64(0)..<20)
    func fuzz(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pieces = ["220", "250", "354", "-", " ", "\r\n", "\n", "AUTH PLAIN", "ü", "\u{0}", "599 ", "250 x\r\n"]
        for _ in 0..<200 {
            let replies = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                (0..<Int.random(in: 1...6, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                    .joined()
            }
            let (said, decided, fault) = try talk(replies, login: ("u", "p"))
            if fault == nil { #expect(said.last == "QUIT\r\n" && decided.last.map { $0.code < 400 } == true) }
        }
    }
}
