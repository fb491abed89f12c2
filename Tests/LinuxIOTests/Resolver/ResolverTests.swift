// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(15)))
struct ResolverTests {
    typealias Question = DNSMessage.Question

    @Test("both families, IPv4 first, each with its time to live")
    func bothFamilies() async throws {
        let server = try FakeNameServer.answering { question in
            [
                DNSMessage.answer(
                    question,
                    question.type == 1
                        ? [.a(question.name, [192, 0, 2, 1], ttl: 7), .a(question.name, [192, 0, 2, 2], ttl: 9)]
                        : [.aaaa(question.name, 1, ttl: 3_600)]
                )
            ]
        }
        let bench = try ResolverBench(port: server.port)
        let answer = await bench.resolve("www.example.org")
        #expect(answer.source == .servers)
        #expect(
            answer.outcome
                == .addresses([
                    ResolvedAddress(bytes: [192, 0, 2, 1], timeToLive: 7),
                    ResolvedAddress(bytes: [192, 0, 2, 2], timeToLive: 9),
                    ResolvedAddress(bytes: DNSMessage.documentation(1), timeToLive: 3_600),
                ])
        )
        #expect(bench.resolver.run { $0?.servers.map(\.description) ?? [] } == ["127.0.0.1"])
    }

    @Test("an alias's time to live counts; a time with the highest bit set is zero (RFC 2181)")
    func aliases() async throws {
        let server = try FakeNameServer.answering { question in
            guard question.type == 1 else {
                return [DNSMessage.answer(question, [.aaaa(question.name, 1, ttl: 0x8000_0001)])]
            }
            let chain: [DNSMessage.Resource] = [
                .cname(question.name, "b.example", ttl: 30), .cname("b.example", "c.example", ttl: 12),
                .a("c.example", [198, 51, 100, 3], ttl: 300),
            ]
            return [DNSMessage.answer(question, chain)]
        }
        let bench = try ResolverBench(port: server.port)
        let outcome = await bench.resolve("a.example").outcome
        let expected = [
            ResolvedAddress(bytes: [198, 51, 100, 3], timeToLive: 12),
            ResolvedAddress(bytes: DNSMessage.documentation(1), timeToLive: 0),
        ]
        #expect(outcome == .addresses(expected))
    }

    @Test(
        "the result is the server's answer",
        arguments: [
            (3, ResolverAnswer.Outcome.noSuchName), (0, .noData), (2, .serverFailure), (4, .serverFailure),
            (5, .refused), (1, .serverFailure),
        ] as [(UInt8, ResolverAnswer.Outcome)]
    )
    func codes(code: UInt8, outcome: ResolverAnswer.Outcome) async throws {
        let server = try FakeNameServer.answering { [DNSMessage.answer($0, code: code)] }
        let bench = try ResolverBench(port: server.port)
        #expect(await bench.resolve("x.example") == ResolverAnswer(outcome: outcome, source: .servers))
    }

    @Test("a dangling alias means no data")
    func danglingAlias() async throws {
        let server = try FakeNameServer.answering { [DNSMessage.answer($0, [.cname($0.name, "gone.example")])] }
        let bench = try ResolverBench(port: server.port)
        #expect(await bench.resolve("x.example").outcome == .noData)
    }

    @Test("the failure of one family neither withholds the other nor makes the name empty")
    func mixedAnswers() async throws {
        let server = try FakeNameServer.answering { question in
            switch (question.name, question.type) {
            case ("half.example", 1): [DNSMessage.answer(question, [.a(question.name, [192, 0, 2, 1])])]
            case ("half.example", _): [DNSMessage.answer(question, code: 2)]
            case ("empty.example", 1): [DNSMessage.answer(question, code: 2)]
            default: [DNSMessage.answer(question)]
            }
        }
        let bench = try ResolverBench(port: server.port)
        #expect(await bench.addresses("half.example") == [[192, 0, 2, 1]])
        #expect(await bench.resolve("empty.example").outcome == .serverFailure)
    }

    @Test("a server that never answers is a time-out; one where nothing listens is unreachable")
    func silence() async throws {
        let server = try FakeNameServer { _, _ in }
        let bench = try ResolverBench(port: server.port, timeout: 20, tries: 2)
        #expect(await bench.resolve("x.example").outcome == .timedOut)
        #expect(await bench.resolve("y.example").outcome == .timedOut)
        #expect(bench.resolver.run { $0?.load.inFlight } == 0)
        let deserted = try ResolverBench(port: server.port, resolvConf: "nameserver 127.0.0.77\nsearch .\n")
        #expect(await deserted.resolve("x.example").outcome == .unreachable)
    }

    @Test("a server that was quick may take more than a second for another name")
    func slowName() async throws {
        let server = try FakeNameServer { question, reply in
            let answer = DNSMessage.answer(question, question.type == 1 ? [.a(question.name, [192, 0, 2, 1])] : [])
            guard question.name == "slow.example" else { return reply([answer]) }
            try? Thread(name: "slow-answer") {
                usleep(1_050_000)
                reply([answer])
            }.detach()
        }
        let bench = try ResolverBench(port: server.port)
        for _ in 0..<10 { #expect(await bench.addresses("quick.example") == [[192, 0, 2, 1]]) }
        #expect(await bench.addresses("slow.example") == [[192, 0, 2, 1]])
    }

    @Test("the next server is queried when the first one fails")
    func failover() async throws {
        let first = try FakeNameServer.answering { [DNSMessage.answer($0, code: 2)] }
        let second = try FakeNameServer.answering(host: 2, port: first.port) {
            [DNSMessage.answer($0, $0.type == 1 ? [.a($0.name, [192, 0, 2, 1])] : [])]
        }
        let bench = try ResolverBench(
            port: second.port,
            resolvConf: "nameserver 127.0.0.1\nnameserver 127.0.0.2\nsearch .\n"
        )
        #expect(await bench.addresses("x.example") == [[192, 0, 2, 1]])
    }

    @Test("garbage, foreign ids, foreign questions and empty datagrams are passed over")
    func garbage() async throws {
        let server = try FakeNameServer.answering { question in
            let good = DNSMessage.answer(question, question.type == 1 ? [.a(question.name, [192, 0, 2, 1])] : [])
            var foreign = DNSMessage.answer(question, [.a(question.name, [203, 0, 113, 66])])
            foreign[0] ^= 0xFF
            foreign[1] ^= 0xFF
            let other = Question(
                id: question.id,
                name: "other.example",
                type: question.type,
                isTCP: false,
                section: DNSMessage.encode("other.example") + [0, UInt8(question.type), 0, 1]
            )
            return [[], [1], [UInt8](repeating: 0xAA, count: 500), foreign]
                + [DNSMessage.answer(other, [.a("other.example", [203, 0, 113, 66])]), good]
        }
        let bench = try ResolverBench(port: server.port)
        #expect(await bench.addresses("x.example") == [[192, 0, 2, 1]])
    }

    @Test("a truncated answer is queried again by TCP; of 2,000 addresses 1,024 are kept")
    func truncation() async throws {
        let server = try FakeNameServer.answering { question in
            guard question.type == 1 else { return [DNSMessage.answer(question)] }
            guard question.isTCP else { return [DNSMessage.answer(question, isTruncated: true)] }
            let many = (0..<2_000).map { number in
                DNSMessage.Resource.a("x.example", [10, 0, UInt8(number >> 8), UInt8(number & 255)], ttl: 5)
            }
            return [DNSMessage.answer(question, many)]
        }
        let bench = try ResolverBench(port: server.port)
        let addresses = await bench.addresses("x.example")
        #expect(addresses?.count == 1_024)
        #expect(addresses?.first == [10, 0, 0, 0])
        #expect(addresses?.last == [10, 0, 3, 255])
    }

    @Test("an address resolves to itself, and an invalid name is refused, without a query")
    func literals() async throws {
        let asked = Record<String>()
        let server = try FakeNameServer.answering { question in
            asked.append(question.name)
            return [DNSMessage.answer(question)]
        }
        let bench = try ResolverBench(port: server.port)
        #expect(
            await bench.resolve("192.0.2.7")
                == ResolverAnswer(
                    outcome: .addresses([
                        ResolvedAddress(bytes: [192, 0, 2, 7], timeToLive: ResolvedAddress.permanent)
                    ]),
                    source: .literal
                )
        )
        #expect(await bench.addresses("2001:db8::1") == [DNSMessage.documentation(1)])
        #expect(await bench.addresses("localhost") == [[127, 0, 0, 1], [UInt8](repeating: 0, count: 15) + [1]])
        let long = Array(repeating: String(repeating: "a", count: 63), count: 4).joined(separator: ".")
        for name in ["", ".", "a..b", "a\0b", "a\\b", long, String(repeating: "a", count: 64), ".a"] {
            #expect(await bench.resolve(name) == ResolverAnswer(outcome: .badName, source: .literal))
        }
        #expect(asked.all.isEmpty)
        #expect(await bench.resolve(String(long.prefix(253))).outcome == .noData)
    }

    @Test("the hosts file goes first, IPv6, aliases and all, and nsswitch.conf can turn that round")
    func hostsFile() async throws {
        let server = try FakeNameServer.answering { question in
            guard question.name == "printer" else { return [DNSMessage.answer(question, code: 3)] }
            return [DNSMessage.answer(question, question.type == 1 ? [.a(question.name, [198, 51, 100, 1])] : [])]
        }
        let hosts = """
            # a comment
            192.0.2.10 printer Printer.Home.Arpa # the old one
            2001:db8::1\tprinter
            nonsense printer
            192.0.2.11 only-here
            """
        let bench = try ResolverBench(port: server.port, hosts: hosts)
        #expect(
            await bench.resolve("PRINTER")
                == ResolverAnswer(
                    outcome: .addresses([
                        ResolvedAddress(bytes: [192, 0, 2, 10], timeToLive: ResolvedAddress.permanent),
                        ResolvedAddress(bytes: DNSMessage.documentation(1), timeToLive: ResolvedAddress.permanent),
                    ]),
                    source: .hosts
                )
        )
        #expect(await bench.addresses("printer.home.arpa.") == [[192, 0, 2, 10]])
        let turned = try ResolverBench(port: server.port, hosts: hosts, nameServiceSwitch: "hosts: dns files\n")
        #expect(await turned.addresses("printer") == [[198, 51, 100, 1]])
        #expect(await turned.addresses("only-here") == [[192, 0, 2, 11]])
        let alone = try ResolverBench(port: server.port, hosts: hosts, nameServiceSwitch: "hosts: files\n")
        #expect(await alone.resolve("elsewhere") == ResolverAnswer(outcome: .noSuchName, source: .hosts))
    }

    @Test("the search list is used, except with enough dots (ndots) or a final dot")
    func searchList() async throws {
        let asked = Record<String>()
        let server = try FakeNameServer.answering { question in
            guard question.type == 1 else { return [DNSMessage.answer(question)] }
            asked.append(question.name)
            return question.name == "db.two.example"
                ? [DNSMessage.answer(question, [.a(question.name, [192, 0, 2, 2])])]
                : [DNSMessage.answer(question, code: 3)]
        }
        let bench = try ResolverBench(
            port: server.port,
            resolvConf: "nameserver 127.0.0.1\nsearch one.example two.example\noptions ndots:2\n"
        )
        #expect(await bench.addresses("db") == [[192, 0, 2, 2]])
        #expect(await bench.resolve("db.").outcome == .noSuchName)
        #expect(await bench.resolve("a.b.c").outcome == .noSuchName)
        #expect(
            asked.all == [
                "db.one.example", "db.two.example", "db", "a.b.c", "a.b.c.one.example", "a.b.c.two.example",
            ]
        )
    }
}
