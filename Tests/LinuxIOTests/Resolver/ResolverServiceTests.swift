// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Testing

@Suite("Servers of a service (SRV)", .timeLimit(.minutes(15)))
struct ResolverServiceTests {
    private static func answer(_ bench: ResolverBench, _ name: String) async -> ServiceAnswer {
        await withCheckedContinuation { continuation in
            bench.resolver.execute { resolver in resolver?.services(name) { continuation.resume(returning: $0) } }
        }
    }

    @Test("their ports, priorities and names; an alias's time to live counts; the search list is used")
    func records() async throws {
        let server = try FakeNameServer.answering { question in
            guard question.name == "_http._tcp.example.org", question.type == 33 else {
                return [DNSMessage.answer(question, code: 3)]
            }
            return [
                DNSMessage.answer(
                    question,
                    [
                        .cname(question.name, "_web._tcp.example.net", ttl: 30),
                        .srv("_web._tcp.example.net", 10, 60, 8_080, "a.example.net", ttl: 300),
                        .srv("_web._tcp.example.net", 20, 0, 80, "", ttl: 7),
                    ]
                )
            ]
        }
        let bench = try ResolverBench(port: server.port, resolvConf: "nameserver 127.0.0.1\nsearch example.org\n")
        let expected = [
            ServiceRecord(priority: 10, weight: 60, port: 8_080, target: "a.example.net", timeToLive: 30),
            ServiceRecord(priority: 20, weight: 0, port: 80, target: "", timeToLive: 7),
        ]
        #expect(await Self.answer(bench, "_http._tcp") == .services(expected))
        #expect(await Self.answer(bench, "_http._tcp.example.org.") == .services(expected))
        #expect(await Self.answer(bench, "_none._tcp.example.org.") == .failure(.noSuchName))
        #expect(await Self.answer(bench, "not..a.name") == .failure(.badName))
    }

    @Test("no records, errors of the server and malformed records are failures")
    func failures() async throws {
        let server = try FakeNameServer.answering { question in
            switch question.name {
            case "empty.example": [DNSMessage.answer(question)]
            case "refused.example": [DNSMessage.answer(question, code: 5)]
            default:
                [
                    DNSMessage.answer(
                        question,
                        [.init(name: question.name, type: 33, timeToLive: 1, data: [0, 1, 0, 1, 0, 80, 63, 97])]
                    )
                ]
            }
        }
        let bench = try ResolverBench(port: server.port, timeout: 200, tries: 1)
        #expect(await Self.answer(bench, "empty.example.") == .failure(.noData))
        #expect(await Self.answer(bench, "refused.example.") == .failure(.refused))
        #expect(await Self.answer(bench, "short.example.") == .failure(.serverFailure))
    }
}

extension DNSMessage.Resource {
    fileprivate static func srv(
        _ name: String,
        _ priority: UInt16,
        _ weight: UInt16,
        _ port: UInt16,
        _ target: String,
        ttl: UInt32
    ) -> Self {
        let data = [priority, weight, port].flatMap(DNSMessage.word) + DNSMessage.encode(target)
        return Self(name: name, type: 33, timeToLive: ttl, data: data)
    }
}
