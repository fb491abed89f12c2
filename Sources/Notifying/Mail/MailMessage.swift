// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import Probing

/// A message as mail: a header, and the same text plain and as HTML (RFC 5322, RFC 2046).
///
/// All messages of an incident refer to one message that does not exist, so that mail programs show them as one thread (RFC 5322,
/// section 3.6.4). No text of a target or a server is part of a header but for the subject, which is encoded.
struct MailMessage {
    private let card: MessageCard
    private let settings: MailSettings

    init(_ message: Message, to settings: MailSettings) {
        card = MessageCard(message, externalURL: settings.externalURL)
        self.settings = settings
    }

    /// Header and body, with CRLF as line ends.
    var content: [UInt8] {
        // The characters =_ cannot be part of quoted-printable text.
        let boundary = "=_reachd-\(card.key)"
        let lines =
            headers + [
                "Content-Type: multipart/alternative; boundary=\"\(boundary)\"", "", "--\(boundary)",
                "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable", "",
                MailText.quotedPrintable(plainText), "--\(boundary)", "Content-Type: text/html; charset=utf-8",
                "Content-Transfer-Encoding: quoted-printable", "", MailText.quotedPrintable(html), "--\(boundary)--",
                "",
            ]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    private var headers: [String] {
        let domain = settings.from.split(separator: "@").last.map(String.init) ?? "localhost"
        let thread = "<reachd.\(card.key)@\(domain)>"
        return [
            "Date: \(MailText.date(card.at))",
            "From: reachd <\(settings.from)>",
            "To: " + settings.to.joined(separator: ",\r\n "),
            "Subject: " + MailText.encodedWords(card.markedTitle.shortened(to: 250)),
            "Message-ID: <reachd.message.\(card.id)@\(domain)>",
            "In-Reply-To: \(thread)",
            "References: \(thread)",
            // No vacation message comes back (RFC 3834).
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
        ]
    }

    private var plainText: String {
        let link = card.link.map { ["", $0] } ?? []
        return ([card.markedTitle, ""] + card.lines.map(Self.shortened) + link).joined(separator: "\n") + "\n"
    }

    private var html: String {
        let color = card.look.hexadecimalColor
        var html = "<!DOCTYPE html>\n<html><body style=\"font-family: sans-serif\">\n"
        html += "<h2 style=\"color: \(color)\">\(Markup.escape(card.markedTitle.shortened(to: 500)))</h2>\n"
        if let sentence = card.sentence { html += "<p>\(Markup.escape(Self.shortened(sentence)))</p>\n" }
        html += "<table>\n"
        for fact in card.facts {
            html += "<tr><td style=\"color: #59636e; padding-right: 1em\">\(Markup.escape(fact.name))</td>"
            html += "<td>\(Markup.escape(Self.shortened(fact.text)))</td></tr>\n"
        }
        html += "</table>\n"
        if let link = card.link { html += "<p><a href=\"\(Markup.escape(link))\">Open in reachd</a></p>\n" }
        return html + "</body></html>\n"
    }

    private static func shortened(_ text: String) -> String { text.shortened(to: 2_000) }
}
