// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import LinuxIO

/// A name server that sends more than it was asked for.
@Suite(.timeLimit(.minutes(15))) struct ResolverFloodTests {
    @Test("many messages of a server are read in several turns of the loop, and the answer after them is found")
    func turns() throws {
        let loop = try EventLoop(name: "resolver-test")
        defer { loop.close() }
        let (isHeld, go) = (Semaphore(), Semaphore())
        let server = try FakeNameServer { question, reply in
            // While the loop is held: all of it lies in the socket when the loop looks.
            isHeld.wait()
            // The answer to another question, and in the end the answer.
            var stranger = DNSMessage.answer(question, [.a(question.name, [192, 0, 2, 9])])
            stranger[0] ^= 0xFF
            let answer = DNSMessage.answer(question, [.a(question.name, [192, 0, 2, 1])])
            reply([[UInt8]](repeating: stranger, count: 200) + [answer])
            go.post()
        }
        let turns = Record<Int>()
        let done = Semaphore()
        let confined = LoopConfined<ResolverChannel?>(loop) {
            let limits = ResolverLimits(port: server.port)
            let servers = ServerList(parsing: []).servers
            let channel = try? ResolverChannel(loop: loop, servers: servers, rotates: false, limits: limits)
            channel?.worked = { [weak channel] in
                let count = channel?.takeReplies().count ?? 0
                turns.append(count)
                if count > 0 { done.post() }
            }
            return channel
        }
        confined.execute { channel in
            channel?.ask(
                "a.example",
                type: DNSType.a,
                for: ResolverRequest(name: "a.example", completion: .addresses({ _ in }))
            )
            channel?.updateTimer()
        }
        loop.execute {
            isHeld.post()
            go.wait()
        }
        done.wait()
        // At most 128 messages a turn; c-ares of Debian 13 takes one.
        #expect(turns.all.count > 1 && turns.all.dropLast().allSatisfy { $0 == 0 } && turns.all.last == 1)
        _ = confined.run { $0?.close() }
        confined.drop()
    }
}
