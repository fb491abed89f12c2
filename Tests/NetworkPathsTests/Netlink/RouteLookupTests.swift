// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CLinux
import Glibc
import LinuxIO
import TestSupport
import Testing

@testable import NetworkPaths

/// Questions about loopback, which every namespace has.
@Suite(.timeLimit(.minutes(15))) struct RouteOracleTests {
    /// Two kinds of answers in turns, so that one in another's place is seen.
    private static let questions = (0..<64).map { index in
        RouteQuestion(destination: IPAddress(ipv4: index % 3 == 0 ? 0x7FFF_FFFF : 0x7F00_0001))
    }

    private static func isRight(_ answer: RouteAnswer, _ index: Int) -> Bool {
        answer.error == 0 && Int(answer.type) == Int(index % 3 == 0 ? RTN_BROADCAST : RTN_LOCAL)
    }

    @Test("answers stand in the places of their questions, however many there are")
    func places() throws {
        let routeLookup = try RouteLookup()
        for count in [1, 7, 64] {
            let answers = routeLookup.ask(Array(Self.questions[..<count]))
            #expect(answers.count == count)
            for (index, answer) in answers.enumerated() { #expect(Self.isRight(answer, index), "\(count), \(index)") }
        }
        #expect(routeLookup.ask((0..<200).map { Self.questions[$0 % 64] }).count == 200)
    }

    @Test("answers that the kernel drops silently: the query is repeated once, then it fails")
    func lost() throws {
        let routeLookup = try RouteLookup(patience: .milliseconds(10))
        // The smallest buffer there is, and no word of what does not fit.
        #expect(routeLookup.socket.setReceiveBuffer(0) < 8192)
        #expect(routeLookup.socket.set(NETLINK_NO_ENOBUFS, 1))
        let answers = routeLookup.ask(Self.questions)
        #expect(answers.count == 64)
        #expect(answers.contains { $0.error == ETIMEDOUT })
        #expect(answers.contains { $0.error == 0 })
        for (index, answer) in answers.enumerated() {
            #expect(answer.error == ETIMEDOUT || Self.isRight(answer, index), "\(index)")
        }
        // What comes late belongs to nobody.
        _ = routeLookup.socket.setReceiveBuffer(1 << 20)
        for (index, answer) in routeLookup.ask(Self.questions).enumerated() {
            #expect(Self.isRight(answer, index), "\(index)")
        }
    }

    @Test("a few lost answers: the second query receives them")
    func repeated() throws {
        let routeLookup = try RouteLookup(patience: .milliseconds(10))
        #expect(routeLookup.socket.set(NETLINK_NO_ENOBUFS, 1))
        #expect(routeLookup.socket.setReceiveBuffer(0) < 8192)
        // So few that what is left of them fits.
        let held = routeLookup.ask(Self.questions).count { $0.error == 0 } / 2
        try #require(held > 0)
        let count = held + 1
        for (index, answer) in routeLookup.ask(Array(Self.questions[..<count])).enumerated() {
            #expect(Self.isRight(answer, index), "\(index) of \(count)")
        }
    }
}
