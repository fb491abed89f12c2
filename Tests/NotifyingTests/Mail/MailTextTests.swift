// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
import TestSupport
import Testing

@testable import Notifying

@Suite("Forms of text in mail") struct MailTextTests {
    @Test("Encoded words have at most 75 characters and whole characters each; line ends become blanks")
    func encodedWords() {
        #expect(MailText.encodedWords("a") == "=?UTF-8?B?YQ==?=" && MailText.encodedWords("") == "=?UTF-8?B??=")
        #expect(MailText.encodedWords("a\r\nb") == MailText.encodedWords("a  b"))
        let lines = MailText.encodedWords(String(repeating: "🔴ü", count: 60)).split(separator: "\r\n ")
        #expect(lines.count > 5)
        for line in lines { #expect(line.utf8.count <= 64 && line.hasPrefix("=?UTF-8?B?") && line.hasSuffix("?=")) }
    }

    @Test("Quoted-printable has lines of at most 76 characters, and no blank at the end of one")
    func quotedPrintable() {
        #expect(MailText.quotedPrintable("a=ü\n \nb \n") == "a=3D=C3=BC\r\n=20\r\nb=20\r\n")
        #expect(MailText.quotedPrintable("a\r\n\u{0}\u{1B}b") == "a\r\nb")
        let lines = MailText.quotedPrintable(String(repeating: "é x", count: 200)).split(separator: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 76 } && lines.dropLast().allSatisfy { $0.hasSuffix("=") })
    }

    @Test(
        "Dates",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 +0000"), (1_795_000_000_123, "Wed, 18 Nov 2026 11:06:40 +0000"),
            (-1, "Wed, 31 Dec 1969 23:59:59 +0000"),
        ]
    )
    func dates(milliseconds: Int64, text: String) {
        #expect(MailText.date(Timestamp(milliseconds: milliseconds)) == text)
    }

    @Test(
        "However long and hostile the texts are, a mail is ASCII in short lines, with the same headers",
        arguments: UInt64(0)..<20
    )
    func hostile(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "\r\n", "\n", ".", "--=_reachd-i-7--", "ü", "🔴", "\u{0}", "=", " ", "x", "Bcc: a@b", "\r\n\r\n", "\u{85}",
        ]
        func text() -> String {
            (0..<Int.random(in: 0...300, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                .joined()
        }
        let settings = MailSettings(server: try MailServer("smtp://h"), from: "a@b", to: ["c@d"])
        var message = Message.down(text(), name: text(), group: text(), detail: text()).of(.opened)
        message.incident?.title = text()
        let content = MailMessage(message, to: settings).content
        #expect(content.allSatisfy { $0 < 0x80 && $0 != 0 })
        let mail = String(decoding: content, as: UTF8.self)
        let lines = mail.split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.utf8.count <= 78 && !$0.utf8.contains(0x0A) && !$0.utf8.contains(0x0D) })
        let names = lines.prefix { !$0.isEmpty }.filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
        #expect(
            names == [
                "Date", "From", "To", "Subject", "Message-ID", "In-Reply-To", "References", "Auto-Submitted",
                "MIME-Version",
                "Content-Type",
            ]
        )
        #expect(lines.filter { $0.hasPrefix("--=_reachd") }.count == 3)
    }

    @Test("Addresses")
    func addresses() {
        for text in ["a@b", "first.last+tag@mail.example.org", "o'neil@example.org"] {
            #expect(MailSettings.isAddress(text))
        }
        for text in [
            "", "a", "@b", "a@", "a@b@c", "a b@c", "<a@b>", "a@b\r\nBcc: c@d", ".a@b", "a..b@c", "a@-b", "a@b..c",
            "ü@b", "\"a\"@b",
        ] { #expect(!MailSettings.isAddress(text), "\(text)") }
    }

    @Test("URLs of mail servers")
    func servers() throws {
        let plain = try MailServer("smtp://mail.example.org")
        #expect(plain.host == "mail.example.org" && plain.port == 587 && plain.security == .startTLS)
        let secure = try MailServer("SMTPS://[::1]")
        #expect(secure.host == "::1" && secure.port == 465 && secure.security == .tls)
        #expect(try MailServer("smtp://h:25").port == 25 && MailServer("smtps://h:443/").port == 443)
        for text in ["http://h", "h:25", "smtp://", "smtp://u:p@h", "smtp://h/path", "smtp://h:0", "smtp://h h"] {
            #expect(throws: HTTPURLError.self, "\(text)") { try MailServer(text) }
        }
    }
}
