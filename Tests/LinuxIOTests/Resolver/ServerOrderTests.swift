// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import Synchronization
import TestSupport
import Testing

/// Several name servers: which is asked first, and how they are asked.
@Suite(.timeLimit(.minutes(15)))
struct ServerOrderTests {
    /// A clock that a test can put forward.
    private final class ForwardClock: MonotonicClock {
        private let offset = Atomic<UInt64>(0)

        func now() -> UInt64 { SystemMonotonicClock().now() + offset.load(ordering: .relaxed) }

        func forward(seconds: UInt64) { offset.add(seconds * 1_000_000_000, ordering: .relaxed) }
    }

    /// Two servers, of which the first answers when a test lets it, and what each was asked.
    private final class Pair: Sendable {
        let first: FakeNameServer
        let second: FakeNameServer
        let askedFirst: Record<String>
        let askedSecond: EventPipe<String>

        init(_ answer: @escaping @Sendable (DNSMessage.Question) -> [UInt8]?) throws {
            let (askedFirst, askedSecond) = (Record<String>(), EventPipe<String>())
            first = try FakeNameServer { question, reply in
                askedFirst.append(question.name)
                if let message = answer(question) { reply([message]) }
            }
            second = try FakeNameServer(host: 2, port: first.port) { question, reply in
                askedSecond.send(question.name)
                reply([ServerOrderTests.found(question, 2)])
            }
            (self.askedFirst, self.askedSecond) = (askedFirst, askedSecond)
        }

        func bench(_ more: String = "", timeout: Int32 = 100, clock: any MonotonicClock = SystemMonotonicClock()) throws
            -> ResolverBench
        {
            let text = "nameserver 127.0.0.1\nnameserver 127.0.0.2\nsearch .\n" + more
            return try ResolverBench(port: first.port, resolvConf: text, timeout: timeout, tries: 1, clock: clock)
        }
    }

    /// Whether c-ares orders servers by their failures itself, as 1.34 does: it asks one that failed again by a clock of its own.
    private static let isOrderedByLibrary: Bool = {
        let parts = SystemLibrary.cAres.version.split(separator: ".").compactMap { Int($0) }
        return !parts.lexicographicallyPrecedes([1, 29])
    }()

    private static func found(_ question: DNSMessage.Question, _ last: UInt8) -> [UInt8] {
        DNSMessage.answer(question, question.type == 1 ? [.a(question.name, [192, 0, 2, last])] : [])
    }

    @Test("the server that answered last is asked first, and the dead one again after a minute")
    func deadFirstServer() async throws {
        let isAlive = Atomic(false)
        let pair = try Pair { isAlive.load(ordering: .relaxed) ? Self.found($0, 1) : nil }
        let clock = ForwardClock()
        let bench = try pair.bench(clock: clock)
        #expect(await bench.addresses("a.example") == [[192, 0, 2, 2]])
        #expect(await bench.addresses("b.example") == [[192, 0, 2, 2]])
        #expect(!pair.askedFirst.all.contains("b.example"))
        isAlive.store(true, ordering: .relaxed)
        #expect(await bench.addresses("c.example") == [[192, 0, 2, 2]])
        #expect(!pair.askedFirst.all.contains("c.example"), "not within a minute")
        guard !Self.isOrderedByLibrary else { return }
        clock.forward(seconds: 61)
        // The first one after the minute asks both; the answer of the first server may come after this one.
        var answer = await bench.addresses("d.example")
        var number = 0
        while answer != [[192, 0, 2, 1]], number < 1_000 {
            number += 1
            answer = await bench.addresses("n\(number).example")
        }
        #expect(answer == [[192, 0, 2, 1]])
    }

    @Test("a question whose name is not wanted any more still finds out that the first server is dead")
    func cancelled() async throws {
        let pair = try Pair { _ in nil }
        let bench = try pair.bench()
        bench.resolver.execute { $0?.resolve("a.example") { _ in }.cancel() }
        #expect(await pair.askedSecond.next() == "a.example")
    }

    @Test(
        "a server that answers is not put behind another one: with an error, or about one type only",
        .disabled(if: isOrderedByLibrary, "c-ares puts a server behind the others after one failure by itself"),
        arguments: [true, false]
    )
    func aliveFirstServer(fails: Bool) async throws {
        let pair = try Pair { question in
            guard question.name == "a.example" else { return Self.found(question, 1) }
            return fails ? DNSMessage.answer(question, code: 2) : question.type == 1 ? Self.found(question, 1) : nil
        }
        let bench = try pair.bench()
        _ = await bench.resolve("a.example")
        #expect(await bench.addresses("b.example") == [[192, 0, 2, 1]])
        #expect(await bench.addresses("c.example") == [[192, 0, 2, 1]])
    }

    @Test("rotate, timeout and attempts of resolv.conf are used")
    func options() async throws {
        let pair = try Pair { Self.found($0, 1) }
        let rotating = try pair.bench("options rotate\n")
        let answers = EventPipe<ResolverAnswer>()
        var outcomes: Set<ResolverAnswer.Outcome> = []
        for number in 0..<4 {
            // One question each: with two, all of one type would go to one server.
            rotating.resolver.execute { $0?.resolve("n\(number).example", family: .ipv4) { answers.send($0) } }
            if let answer = await answers.next() { outcomes.insert(answer.outcome) }
        }
        #expect(outcomes.count == 2)
        let silent = try FakeNameServer { _, _ in }
        let resolvConf = "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"
        // Otherwise this would last for hours.
        let bench = try ResolverBench(port: silent.port, resolvConf: resolvConf, timeout: 60_000_000, tries: 3)
        #expect(await bench.resolve("x.example.").outcome == .timedOut)
    }

    @Test("a link-local server is asked through its interface", .enabled(if: Testbed.isAvailable))
    func linkLocalServer() async throws {
        let namespace = try NetworkNamespace()
        _ = try namespace.ip("link set lo up")
        _ = try namespace.ip("addr add fe80::53/64 dev lo nodad")
        let server = try NameServer("fe80::53%lo", port: 5353, in: namespace)
        server.set("x.example", .addresses(["192.0.2.1"]))
        let bench = try ResolverBench(
            port: 5353,
            resolvConf: "nameserver fe80::53%lo\nsearch .\n",
            prologue: namespace.prologue
        )
        #expect(await bench.addresses("x.example") == [[192, 0, 2, 1]])
        #expect(bench.resolver.run { $0?.servers.map(\.description) ?? [] } == ["fe80::53%lo"])
    }
}
