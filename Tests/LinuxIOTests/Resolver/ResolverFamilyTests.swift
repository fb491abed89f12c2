// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import Testing

/// Name servers that answer about one family of addresses and never about the other.
@Suite(.timeLimit(.minutes(15)))
struct ResolverFamilyTests {
    /// Answers A with an address, unless the name begins with "gone", and never AAAA.
    private func halfServer(_ asked: Record<String> = Record()) throws -> FakeNameServer {
        try FakeNameServer { question, reply in
            asked.append("\(question.name) \(question.type)")
            guard question.type == 1 else { return }
            let isGone = question.name.hasPrefix("gone")
            reply([
                DNSMessage.answer(question, isGone ? [] : [.a(question.name, [192, 0, 2, 1])], code: isGone ? 3 : 0)
            ])
        }
    }

    @Test("the addresses of one family are reported while the other's answer is awaited, and again without it")
    func early() async throws {
        let server = try halfServer()
        let bench = try ResolverBench(port: server.port, timeout: 200, tries: 1)
        let answers = EventPipe<(isEarly: Bool, ResolverAnswer)>()
        bench.resolver.execute { resolver in
            resolver?.resolve(
                "half.example",
                early: { answers.send((true, $0)) },
                completion: { answers.send((false, $0)) }
            )
        }
        let expected = ResolverAnswer(
            outcome: .addresses([ResolvedAddress(bytes: [192, 0, 2, 1], timeToLive: 60)]),
            source: .servers,
            missing: ResolverAnswer.MissingFamily(.ipv6, .timedOut)
        )
        for isEarly in [true, false] {
            let answer = await answers.next()
            #expect(answer?.isEarly == isEarly)
            #expect(answer?.1 == expected)
        }
    }

    @Test("names whose second half is late take no place from others")
    func places() async throws {
        let server = try halfServer()
        let bench = try ResolverBench(port: server.port, timeout: 60_000, tries: 1)
        let answers = EventPipe<ResolverAnswer>()
        bench.resolver.execute { resolver in
            for number in 0..<200 {
                resolver?.resolve("n\(number).example", early: { answers.send($0) }, completion: { answers.send($0) })
            }
        }
        for _ in 0..<200 { #expect(await answers.next()?.missing?.family == .ipv6) }
        #expect(bench.resolver.run { $0?.load.inFlight } == 0)
    }

    @Test("a name that does not exist for one type is not asked for longer, and the search goes on")
    func noSuchName() async throws {
        let asked = Record<String>()
        let server = try halfServer(asked)
        let bench = try ResolverBench(
            port: server.port,
            resolvConf: "nameserver 127.0.0.1\nsearch x.example\n",
            timeout: 60_000,
            tries: 1
        )
        #expect(await bench.resolve("gone") == ResolverAnswer(outcome: .noSuchName, source: .servers))
        #expect(Set(asked.all) == ["gone.x.example 1", "gone.x.example 28", "gone 1", "gone 28"])
    }

    @Test("of one family only that is asked for", arguments: [(AddressFamily.ipv4, 1), (.ipv6, 28)])
    func oneFamily(family: AddressFamily, type: Int) async throws {
        let asked = Record<String>()
        let server = try FakeNameServer.answering { question in
            asked.append("\(question.type)")
            return [DNSMessage.answer(question)]
        }
        let bench = try ResolverBench(port: server.port)
        let answers = EventPipe<ResolverAnswer>()
        bench.resolver.execute { $0?.resolve("x.example", family: family) { answers.send($0) } }
        #expect(await answers.next()?.outcome == .noData)
        #expect(asked.all == ["\(type)"])
    }

    @Test("a late answer about the other family belongs to the answer")
    func lateAnswer() async throws {
        let held = Record<@Sendable () -> Void>()
        let server = try FakeNameServer { question, reply in
            guard question.type == 28 else {
                return reply([DNSMessage.answer(question, [.a(question.name, [192, 0, 2, 1])])])
            }
            held.append { reply([DNSMessage.answer(question, [.aaaa(question.name, 1)])]) }
        }
        let bench = try ResolverBench(port: server.port, timeout: 60_000)
        let answers = EventPipe<ResolverAnswer>()
        bench.resolver.execute {
            $0?.resolve("x.example", early: { answers.send($0) }, completion: { answers.send($0) })
        }
        #expect(await answers.next()?.missing?.family == .ipv6)
        for answer in held.all { answer() }
        let answer = await answers.next()
        #expect(answer?.missing == nil)
        guard case .addresses(let found)? = answer?.outcome else { return #expect(Bool(false)) }
        #expect(found.map(\.bytes) == [[192, 0, 2, 1], DNSMessage.documentation(1)])
    }
}
