// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc

/// Questions that are asked together, and what came back so far.
struct RouteBatch {
    let questions: [RouteQuestion]
    /// The number of each question's message.
    var sequences: [UInt32]
    private(set) var answers: [RouteAnswer?]
    private(set) var missing: Int
    /// Why some have no answer.
    var failure = ETIMEDOUT

    init(_ questions: ArraySlice<RouteQuestion>) {
        self.questions = Array(questions)
        sequences = Array(repeating: 0, count: questions.count)
        answers = Array(repeating: nil, count: questions.count)
        missing = questions.count
    }

    var isAnswered: Bool { missing == 0 }

    /// Puts answers in their places; what answers an earlier question, or none, is left out.
    mutating func take(_ bytes: NetlinkBytes) {
        NetlinkMessage.forEach(in: bytes) { message in
            // Questions are numbered upwards, and answered in their order.
            guard let index = index(of: message.sequence), answers[index] == nil, let answer = RouteAnswer(message)
            else { return }
            answers[index] = answer
            missing -= 1
        }
    }

    private func index(of sequence: UInt32) -> Int? {
        // All are asked the first time, so that most are at their distance from the first.
        let distance = Int(sequence &- sequences[0])
        if distance < sequences.count, sequences[distance] == sequence { return distance }
        return sequences.firstIndex(of: sequence)
    }
}
