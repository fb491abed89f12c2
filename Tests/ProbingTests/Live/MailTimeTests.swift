// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport
import Testing

@testable import Probing

@Suite("The time of a mail server", .timeLimit(.minutes(15))) struct MailTimeTests {
    private struct Outcome: Sendable {
        let result: ProbeResult
        let reply: MailReply?
    }

    private static let second: UInt64 = 1_000_000_000

    /// A server that replies to all but one command; before it is silent about that, or replies to it, it calls `asked`.
    private func server(
        holding held: String,
        reply: String? = nil,
        asked: @escaping @Sendable () -> Void = {}
    ) throws -> TestPeer {
        try TestPeer(
            SOCK_STREAM,
            .greetsAndAnswers(Array("220 mail\r\n".utf8)) { bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                if text.hasPrefix(held) {
                    asked()
                    return reply.map { Array($0.utf8) }
                }
                return Array((text.hasPrefix("DATA") ? "354 go\r\n" : "250 ok\r\n").utf8)
            }
        )
    }

    private func send(to port: UInt16, on bench: ProbeBench) throws -> Recorder<Outcome> {
        var server = try MailServer("smtp://127.0.0.1:\(port)")
        server.security = .none
        let outcomes = Recorder<Outcome>()
        bench.onLoop { [server] runner in
            let mail = Mail(sender: "r@example.org", recipients: ["a@b.c"], content: Array("Subject: x\r\n".utf8))
            runner.send(mail, to: server, password: nil, timeout: .seconds(30)) {
                outcomes.record(Outcome(result: $0, reply: $1))
            }
        }
        return outcomes
    }

    /// Lets the loop fire timers, and read what arrived, more often than a late deadline waits.
    private func settle(_ bench: ProbeBench) {
        for _ in 0..<8 { bench.onLoop { _ in } }
    }

    @Test("A server that scans a mail for almost ten minutes accepts it (RFC 5321, section 4.5.3.2.6)")
    func scans() async throws {
        let clock = ManualClock()
        let bench = try ProbeBench(clock: clock)
        let peer = try server(holding: "Subject", reply: "250 queued\r\n") {
            settle(bench)
            clock.advance(by: 599 * Self.second)
            settle(bench)
        }
        let outcomes = try send(to: peer.port, on: bench)
        let outcome = try await outcomes.next()
        #expect(outcome.result.outcome == .success, "\(outcome.result.detail)")
        #expect(outcome.reply?.code == 250 && outcome.result.duration == .seconds(599))
    }

    @Test("A server that does not reply to a mail is given up after ten minutes; before the mail, after the timeout")
    func silent() async throws {
        for (command, limit) in [("Subject", UInt64(600)), ("RCPT", 30)] {
            let clock = ManualClock()
            let bench = try ProbeBench(clock: clock)
            let asked = Recorder<Bool>()
            let peer = try server(holding: command) { asked.record(true) }
            let outcomes = try send(to: peer.port, on: bench)
            _ = try await asked.next()
            settle(bench)
            clock.advance(by: limit * Self.second - 1)
            settle(bench)
            #expect(outcomes.count == 0, "\(command)")
            clock.advance(by: 1)
            settle(bench)
            let outcome = try await outcomes.next()
            #expect(outcome.result.reason == .timeout && outcome.reply == nil)
            #expect(outcome.result.detail.hasPrefix("the mail server sent no reply to "), "\(outcome.result.detail)")
        }
    }
}
