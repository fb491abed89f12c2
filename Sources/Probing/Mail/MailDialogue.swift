// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// Hands one message to a mail server, from its greeting or from the end of STARTTLS on (SMTP, RFC 5321). Pure.
///
/// libcurl speaks SMTP, too, but waits for the reply to a message in a blocking call, also on a multi handle.
struct MailDialogue: StreamConversation {
    /// What is sent next; the reply before it decides whether it is.
    private enum Stage: Equatable {
        case hello
        case login
        case user
        case password
        case sender
        case recipient(Int)
        case data
        case content
        case over
    }

    /// The limit of what a server says in one session, in bytes.
    private static let receiveLimit = 64 << 10
    /// The time that a server has to reply to a mail that it received, for example because it scans it. A client that gives up
    /// earlier sends again what may have been accepted (RFC 5321, section 4.5.3.2.6).
    static let acceptanceTime: Duration = .seconds(600)

    private let mail: Mail
    private let login: (user: String, password: String)?
    private let replied: (MailReply) -> Void
    private var stage = Stage.hello
    /// What was sent, for messages.
    private var step = "the connection"
    private var line: [UInt8] = []
    private var lines: ArraySlice<[UInt8]> = []
    private var taken = 0
    private var hasEnded = false
    private var isGreeted: Bool
    private var mechanisms: Set<String> = []

    /// - Parameters:
    ///   - login: The user and the password; nil: no authentication.
    ///   - isGreeted: Whether the greeting was read already, for STARTTLS.
    ///   - replied: Receives the reply that decides.
    init(
        _ mail: Mail,
        login: (user: String, password: String)?,
        isGreeted: Bool,
        replied: @escaping (MailReply) -> Void
    ) {
        self.mail = mail
        self.login = login
        self.isGreeted = isGreeted
        self.replied = replied
    }

    // MARK: The stream

    var room: Int { max(0, Self.receiveLimit - taken) }
    var isExpecting: Bool { true }
    var isEmpty: Bool { false }
    var words: String { ", and the mail was accepted" }
    var replyTime: Duration? { stage == .data ? Self.acceptanceTime : nil }

    mutating func take(_ bytes: [UInt8]) {
        if bytes.isEmpty { hasEnded = true }
        taken += bytes.count
        for byte in bytes {
            if byte == 0x0A {
                lines.append(line)
                line = []
            } else {
                line.append(byte)
            }
        }
    }

    mutating func next(mayLook: Bool) throws(ProbeFault) -> StreamDialogue.Action {
        if stage == .over { return .done }
        if isGreeted {
            isGreeted = false
            return .send(hello())
        }
        while let text = lines.popFirst() {
            if let answer = try take(line: text) { return .send(answer) }
        }
        if hasEnded {
            throw ProbeFault(reason: .connectionClosed, detail: "the mail server closed the connection after \(step)")
        }
        guard room > 0 else {
            throw ProbeFault(reason: .malformedResponse, detail: "the mail server says too much after \(step)")
        }
        return .receive
    }

    mutating func expire() throws(ProbeFault) {
        guard stage != .over else { return }
        throw ProbeFault(reason: .timeout, detail: "the mail server sent no reply to \(step) in time")
    }

    // MARK: Replies (RFC 5321, section 4.2)

    /// - Returns: What is sent now; nil after a line that is not the last one of a reply.
    private mutating func take(line: [UInt8]) throws(ProbeFault) -> [UInt8]? {
        let text = PrintableBytes.escape(line.last == 0x0D ? line.dropLast() : line[...], limit: 200)
        guard line.count >= 3, let code = Int(String(decoding: line.prefix(3), as: UTF8.self)),
            (200..<600).contains(code)
        else {
            throw ProbeFault(reason: .malformedResponse, detail: "the mail server replied \(text) to \(step)")
        }
        // Only the reply to EHLO has lines that matter.
        let words = text.dropFirst(4).split(separator: " ")
        if words.first?.uppercased() == "AUTH" { mechanisms = Set(words.dropFirst().map { $0.uppercased() }) }
        guard line.count == 3 || line[3] != UInt8(ascii: "-") else { return nil }
        let reply = MailReply(code: code, text: text)
        guard code < 400 else {
            replied(reply)
            throw ProbeFault(reason: .unexpectedResponse, detail: "the mail server replied \(text) to \(step)")
        }
        let wanted: Range<Int> =
            switch stage {
            case .user, .password, .content: 300..<400
            case .hello, .login, .sender, .recipient, .data, .over: 200..<300
            }
        guard wanted.contains(code) else {
            throw ProbeFault(reason: .unexpectedResponse, detail: "the mail server replied \(text) to \(step)")
        }
        return try proceed(after: reply)
    }

    private mutating func proceed(after reply: MailReply) throws(ProbeFault) -> [UInt8] {
        switch stage {
        case .hello: return hello()
        case .login: return try authenticate()
        case .user:
            stage = .password
            return command("AUTH", Base64.text(Array((login?.user ?? "").utf8)))
        case .password:
            stage = .sender
            return command("AUTH", Base64.text(Array((login?.password ?? "").utf8)))
        case .sender:
            stage = .recipient(0)
            return command("MAIL", "MAIL FROM:<\(mail.sender)>")
        case .recipient(let index):
            guard index < mail.recipients.count else {
                stage = .content
                return command("DATA", "DATA")
            }
            stage = .recipient(index + 1)
            return command("RCPT TO:<\(mail.recipients[index])>", "RCPT TO:<\(mail.recipients[index])>")
        case .content:
            stage = .data
            step = "the mail"
            return Self.stuffed(mail.content) + Array(".\r\n".utf8)
        case .data:
            replied(reply)
            stage = .over
            return command("QUIT", "QUIT")
        case .over: return []
        }
    }

    private mutating func hello() -> [UInt8] {
        stage = .login
        let domain = mail.sender.split(separator: "@").last ?? "localhost"
        return command("EHLO", "EHLO \(domain)")
    }

    private mutating func authenticate() throws(ProbeFault) -> [UInt8] {
        guard let login else {
            stage = .recipient(0)
            return command("MAIL", "MAIL FROM:<\(mail.sender)>")
        }
        if mechanisms.contains("PLAIN") {
            // RFC 4616.
            stage = .sender
            return command("AUTH", "AUTH PLAIN \(Base64.text(Array("\0\(login.user)\0\(login.password)".utf8)))")
        }
        guard mechanisms.contains("LOGIN") else {
            throw ProbeFault(
                reason: .unexpectedResponse,
                detail: "the mail server offers neither AUTH PLAIN nor AUTH LOGIN"
            )
        }
        stage = .user
        return command("AUTH", "AUTH LOGIN")
    }

    private mutating func command(_ name: String, _ text: String) -> [UInt8] {
        step = name
        return Array("\(text)\r\n".utf8)
    }

    /// With a second dot where a line begins with one, and a line end at the end (RFC 5321, section 4.5.2).
    private static func stuffed(_ content: [UInt8]) -> [UInt8] {
        var stuffed: [UInt8] = []
        stuffed.reserveCapacity(content.count + 64)
        var isAtStart = true
        for byte in content {
            if isAtStart, byte == UInt8(ascii: ".") { stuffed.append(byte) }
            stuffed.append(byte)
            isAtStart = byte == 0x0A
        }
        return isAtStart ? stuffed : stuffed + Array("\r\n".utf8)
    }
}
