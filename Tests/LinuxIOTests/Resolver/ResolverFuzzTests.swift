// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import Synchronization
import TestSupport
import Testing

/// Answers from a hostile server.
@Suite(.timeLimit(.minutes(15)))
struct ResolverFuzzTests {
    private static func valid(_ question: DNSMessage.Question) -> [UInt8] {
        DNSMessage.answer(
            question,
            [
                .cname(question.name, "alias.example"), .cname("alias.example", "end.example"),
                .a("end.example", [192, 0, 2, 1]), .aaaa("end.example", 1), .a(question.name, [192, 0, 2, 2]),
            ]
        )
    }

    private static func mutated(_ question: DNSMessage.Question, _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = valid(question)
        // The id and mostly the question stay, or c-ares looks no further.
        let floor = Int.random(in: 0..<8, using: &generator) == 0 ? 2 : 12 + question.section.count
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            let at = Int.random(in: floor..<bytes.count, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes[at] = 0xC0 | UInt8.random(in: 0...63, using: &generator)  // compression, loops included
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: at)
            case 4 where bytes.count > floor + 40: bytes.removeLast(Int.random(in: 1...20, using: &generator))
            default: bytes[7] = UInt8.random(in: 0...255, using: &generator)  // the number of answers
            }
        }
        return bytes
    }

    @Test("5,000 names, each question answered with mutated bytes, then well: all of them end")
    func mutatedAnswers() async throws {
        let generator = Mutex(SeededGenerator(seed: 20_261_121))
        let server = try FakeNameServer.answering { question in
            let broken = generator.withLock { Self.mutated(question, &$0) }
            return [broken, Self.valid(question)]
        }
        let bench = try ResolverBench(port: server.port)
        let endings = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<5_000 {
                group.addTask {
                    switch await bench.resolve("f\(number).example").outcome {
                    case .addresses(let found): found.allSatisfy { [4, 16].contains($0.address.byteCount) }
                    default: true
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(endings == 5_000)
        #expect(await bench.addresses("192.0.2.1") == [[192, 0, 2, 1]])
    }

    @Test("names of random bytes end in an answer")
    func randomNames() async throws {
        let server = try FakeNameServer.answering { [DNSMessage.answer($0, code: 3)] }
        let bench = try ResolverBench(port: server.port)
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let outcome = await bench.resolve(String(decoding: bytes, as: UTF8.self)).outcome
            #expect(outcome == .badName || outcome == .noSuchName || outcome == .noData)
        }
    }
}
