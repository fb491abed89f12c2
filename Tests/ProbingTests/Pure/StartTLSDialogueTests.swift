// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Testing

@testable import Probing

@Suite struct StartTLSDialogueTests {
    static let good: [(StartTLSProtocol, [(String, StartTLSDialogue.Action)])] = [
        (
            .smtp,
            [
                ("220-mail.test\r\n", .wait), ("220 ESMTP\r\n", .send("EHLO probe.test\r\n")),
                ("250-mail.test\r\n250-SIZE 100\r\n250-starttls\r\n250 HELP\r\n", .send("STARTTLS\r\n")),
                ("220 go on\r\n", .begin),
            ]
        ),
        (
            .imap,
            [
                ("* OK ready\r\n", .send("A1 STARTTLS\r\n")), ("* CAPABILITY IMAP4rev1\r\n", .wait),
                ("a1 ok begin\r\n", .begin),
            ]
        ),
        (.pop3, [("+OK hello\r\n", .send("STLS\r\n")), ("+OK\r\n", .begin)]),
        (
            .ftp,
            [
                ("220-welcome\r\n all of you\r\n221 x\r\n", .wait), ("220 here\r\n", .send("AUTH TLS\r\n")),
                ("234 go on\n", .begin),
            ]
        ),
        (
            .ftp,
            [
                ("120 soon\r\n", .wait), ("220 welcome\r\n", .send("AUTH TLS\r\n")),
                (" to all\r\n 220 of you\r\n", .wait),
                ("334-go\r\n  334 on\r\n334 now\r\n", .begin),
            ]
        ),
    ]

    @Test("A mail server gets the machine's full name, or its address") func clientName() {
        #expect(StartTLSDialogue.clientName("a.test", IPAddress(ipv4: 0xC000_0201)) == "a.test")
        #expect(StartTLSDialogue.clientName(nil, IPAddress(ipv4: 0xC000_0201)) == "[192.0.2.1]")
        #expect(StartTLSDialogue.clientName(nil, IPAddress("2001:db8::1")) == "[IPv6:2001:db8::1]")
        #expect(StartTLSDialogue.clientName(nil, nil) == "localhost")
    }

    @Test("The four protocols, whole and byte by byte", arguments: [false, true]) func agrees(inPieces: Bool) throws {
        for (name, lines) in Self.good {
            var dialogue = StartTLSDialogue(name, clientName: "probe.test")
            for (said, action) in lines {
                var last = StartTLSDialogue.Action.wait
                for piece in inPieces ? said.utf8.map({ [$0] }) : [Array(said.utf8)] {
                    let next = try dialogue.take(piece)
                    if next != .wait { last = next }
                }
                #expect(last == action, "\(name): \(said)")
            }
        }
    }

    static let bad: [(StartTLSProtocol, [String], ProbeReason)] = [
        (.smtp, ["220 a\r\n", "250-a\r\n250 HELP\r\n"], .startTLSRefused),
        (.smtp, ["220 a\r\n", "250-STARTTLSX\r\n250 HELP\r\n"], .startTLSRefused),
        (.smtp, ["220 a\r\n", "502 what\r\n"], .startTLSRefused),
        (.smtp, ["220 a\r\n", "250 STARTTLS\r\n", "454 not now\r\n"], .startTLSRefused),
        (.smtp, ["554 go away\r\n"], .unexpectedResponse),
        (.smtp, ["* OK\r\n"], .unexpectedResponse),
        (.smtp, ["220 a\r\n", "250 STARTTLS\r\n", "220 go\r\n250 injected\r\n"], .malformedResponse),
        (.imap, ["* PREAUTH hello\r\n"], .startTLSRefused),
        (.imap, ["* OK\r\n", "A1 NO never\r\n"], .startTLSRefused),
        (.imap, ["* BYE\r\n"], .unexpectedResponse),
        (.imap, ["\r\n"], .unexpectedResponse),
        (.pop3, ["+OK\r\n", "-ERR no\r\n"], .startTLSRefused),
        (.pop3, ["-ERR no\r\n"], .unexpectedResponse),
        (.ftp, ["220 a\r\n", "500 no\r\n"], .startTLSRefused),
        (.ftp, ["421 busy\r\n"], .unexpectedResponse),
        (.ftp, ["hello\r\n"], .unexpectedResponse),
        (.ftp, [String(repeating: "a", count: StartTLSDialogue.limit + 1)], .malformedResponse),
        (.smtp, [String(repeating: "220-a\r\n", count: StartTLSDialogue.limit / 7 + 1)], .malformedResponse),
    ]

    @Test("starttls_refused, and other replies of peers", arguments: bad.indices) func refuses(index: Int) {
        let (name, lines, reason) = Self.bad[index]
        var dialogue = StartTLSDialogue(name, clientName: "probe.test")
        var faults: [ProbeReason] = []
        for line in lines {
            do throws(ProbeFault) {
                _ = try dialogue.take(line.utf8)
            } catch {
                faults.append(error.reason)
            }
        }
        #expect(faults == [reason])
    }
}
