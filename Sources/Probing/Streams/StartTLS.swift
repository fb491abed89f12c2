// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// The upgrade of an established connection to TLS.
package struct StartTLS: Sendable, Hashable {
    /// The protocol of the upgrade.
    package var applicationProtocol: StartTLSProtocol
    /// The TLS settings.
    package var tls: TLSSettings
    /// The name that this machine gives to a mail server; nil for its own.
    package var clientName: String?

    /// Creates settings.
    package init(
        _ applicationProtocol: StartTLSProtocol,
        tls: TLSSettings = TLSSettings(),
        clientName: String? = nil
    ) {
        self.applicationProtocol = applicationProtocol
        self.tls = tls
        self.clientName = clientName
    }
}

/// A protocol that starts in plaintext and switches to TLS on request.
package enum StartTLSProtocol: String, Sendable, Hashable, CaseIterable {
    /// SMTP, `STARTTLS` (RFC 3207).
    case smtp
    /// IMAP, `STARTTLS` (RFC 3501, section 6.2.1).
    case imap
    /// POP3, `STLS` (RFC 2595).
    case pop3
    /// FTP, `AUTH TLS` (RFC 4217).
    case ftp
}

/// The dialogue before TLS in the four protocols. Pure: received bytes in, actions out.
struct StartTLSDialogue {
    /// The next action.
    enum Action: Equatable {
        /// Wait for the peer.
        case wait
        /// Send a text.
        case send(String)
        /// Start TLS with the next byte.
        case begin
    }

    private enum State {
        case greeting
        case capabilities
        case consent
    }

    /// The limit of the dialogue before TLS; a greeting with a notice has a few hundred bytes.
    static let limit = 16 << 10

    let name: StartTLSProtocol
    /// The name that this machine gives to a mail server.
    let clientName: String
    private var state = State.greeting
    private var line: [UInt8] = []
    private var taken = 0
    private var offersTLS = false
    private var isWithinReply = false
    private var replyCode: [UInt8] = []

    init(_ name: StartTLSProtocol, clientName: String) {
        self.name = name
        self.clientName = clientName
    }

    /// The name for a mail server where none is configured: the machine's full name, or its address, which is one as well (RFC 5321,
    /// section 4.1.4).
    static func clientName(_ full: String?, _ address: IPAddress?) -> String {
        if let full { return full }
        guard let address else { return "localhost" }
        return "[\(address.family == .ipv6 ? "IPv6:" : "")\(address)]"
    }

    /// Processes received bytes.
    ///
    /// - Throws: ``ProbeFault`` when the peer refuses, uses another protocol, or exceeds its turn or the limit.
    mutating func take(_ bytes: some Sequence<UInt8>) throws(ProbeFault) -> Action {
        var action = Action.wait
        for byte in bytes {
            taken += 1
            if action == .begin {
                // Bytes injected before TLS would be taken for the server's after it (CVE-2011-0411).
                throw ProbeFault(reason: .malformedResponse, detail: "the peer sent extra data after agreeing to TLS")
            }
            guard taken <= Self.limit else {
                throw ProbeFault(reason: .malformedResponse, detail: "the dialogue before TLS exceeds its limit")
            }
            guard byte == 0x0A else {
                line.append(byte)
                continue
            }
            if line.last == 0x0D { line.removeLast() }
            let text = line
            line = []
            let next = try take(line: text)
            if next != .wait { action = next }
        }
        return action
    }

    private mutating func take(line: [UInt8]) throws(ProbeFault) -> Action {
        switch name {
        case .smtp: try takeSMTP(line)
        case .ftp: try takeFTP(line)
        case .pop3: try takePOP3(line)
        case .imap: try takeIMAP(line)
        }
    }

    // MARK: Numbered replies (RFC 5321, section 4.2; RFC 959, section 4.2)

    private mutating func takeSMTP(_ line: [UInt8]) throws(ProbeFault) -> Action {
        let (code, isLast) = try Self.number(of: line)
        if state == .capabilities, line.dropFirst(4).elementsEqual("STARTTLS".utf8, by: { $0 & 0xDF == $1 }) {
            offersTLS = true
        }
        guard isLast else { return .wait }
        switch state {
        case .greeting:
            guard code == 220 else { throw Self.unexpected(line) }
            state = .capabilities
            return .send("EHLO \(clientName)\r\n")
        case .capabilities:
            guard code == 250 else { throw refusal(line) }
            guard offersTLS else {
                throw ProbeFault(reason: .startTLSRefused, detail: "the peer does not offer STARTTLS")
            }
            state = .consent
            return .send("STARTTLS\r\n")
        case .consent:
            guard code == 220 else { throw refusal(line) }
            return .begin
        }
    }

    private mutating func takeFTP(_ line: [UInt8]) throws(ProbeFault) -> Action {
        // Lines within a reply need no reply code there.
        if isWithinReply, !line.starts(with: replyCode + [0x20]) { return .wait }
        // Some servers go on with such lines behind a first one that looks like the last.
        if line.first == 0x20, !replyCode.isEmpty { return .wait }
        let (code, isLast) = try Self.number(of: line)
        isWithinReply = !isLast
        replyCode = Array(line.prefix(3))
        guard isLast else { return .wait }
        switch state {
        case .greeting, .capabilities:
            // The service will be ready in some minutes (RFC 959, section 5.4).
            if code == 120 { return .wait }
            guard code == 220 else { throw Self.unexpected(line) }
            state = .consent
            return .send("AUTH TLS\r\n")
        case .consent:
            // 334 is for mechanisms that need data; old servers send it for TLS, too.
            guard code == 234 || code == 334 else { throw refusal(line) }
            return .begin
        }
    }

    private static func number(of line: [UInt8]) throws(ProbeFault) -> (code: Int, isLast: Bool) {
        let digits = line.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            line.count == 3 || line[3] == 0x20 || line[3] == 0x2D
        else { throw unexpected(line) }
        return (digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }, line.count == 3 || line[3] == 0x20)
    }

    // MARK: Words

    private mutating func takePOP3(_ line: [UInt8]) throws(ProbeFault) -> Action {
        let isGood = line.starts(with: "+OK".utf8)
        guard isGood || line.starts(with: "-ERR".utf8) else { throw Self.unexpected(line) }
        switch state {
        case .greeting, .capabilities:
            guard isGood else { throw Self.unexpected(line) }
            state = .consent
            return .send("STLS\r\n")
        case .consent:
            guard isGood else { throw refusal(line) }
            return .begin
        }
    }

    private mutating func takeIMAP(_ line: [UInt8]) throws(ProbeFault) -> Action {
        let words = line.split(separator: 0x20, maxSplits: 2).map { String(decoding: $0, as: UTF8.self).uppercased() }
        guard words.count >= 2 else { throw Self.unexpected(line) }
        switch (state, words[0], words[1]) {
        case (.greeting, "*", "OK"):
            state = .consent
            return .send("A1 STARTTLS\r\n")
        case (.greeting, "*", "PREAUTH"): throw refusal(line)
        case (.consent, "*", _): return .wait
        case (.consent, "A1", "OK"): return .begin
        case (.consent, "A1", _): throw refusal(line)
        default: throw Self.unexpected(line)
        }
    }

    private func refusal(_ line: [UInt8]) -> ProbeFault {
        ProbeFault(reason: .startTLSRefused, detail: "the peer refuses: \(PrintableBytes.quote(line))")
    }

    private static func unexpected(_ line: [UInt8]) -> ProbeFault {
        ProbeFault(reason: .unexpectedResponse, detail: "unexpected response before TLS: \(PrintableBytes.quote(line))")
    }
}
