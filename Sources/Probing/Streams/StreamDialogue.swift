// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// What is said on a connection that stands, and how far it has come. Pure.
struct StreamDialogue {
    static let receiveLimit = 64 << 10
    private static let promptScanLimit = 4 << 10

    private let isEmpty: Bool
    private var steps: ArraySlice<DialogueStep>
    private(set) var received: [UInt8] = []
    private var hasEnded = false

    /// What to do next.
    enum Action {
        /// Send this.
        case send([UInt8])
        /// Receive more.
        case receive
        /// Receive more, and look at it after a pause: a peer that sends byte after byte costs it more than us.
        case receiveSlowly
        /// It went as expected.
        case done
    }

    init(_ steps: [DialogueStep]) {
        isEmpty = steps.isEmpty
        self.steps = steps[...]
    }

    /// How many bytes there is room for.
    var room: Int { Self.receiveLimit - received.count }

    var isExpecting: Bool { if case .expect = steps.first { true } else { false } }

    var words: String { isEmpty ? "" : ", and the dialogue went as expected" }

    mutating func take(_ bytes: [UInt8]) {
        if bytes.isEmpty { hasEnded = true }
        received += bytes
    }

    /// Takes a step.
    ///
    /// - Parameter mayLook: Whether what was received may be looked at now.
    mutating func next(mayLook: Bool) throws(ProbeFault) -> Action {
        switch steps.first {
        case nil: return .done
        case .send(let text):
            steps.removeFirst()
            received = []
            return .send(Array(text.utf8))
        case .expect(let pattern):
            // The end and the limit are looked at whatever the pace says: nothing will come after them.
            let isLast = hasEnded || room <= 0
            guard isLast || !received.isEmpty && mayLook else { return .receive }
            if pattern.matches(received) {
                steps.removeFirst()
                return try next(mayLook: mayLook)
            }
            if isLast { throw mismatch() }
            return received.count >= Self.promptScanLimit ? .receiveSlowly : .receive
        }
    }

    /// The time is over: whether what came since the last look completes it.
    mutating func expire() throws(ProbeFault) {
        switch steps.first {
        case .expect(let pattern) where !received.isEmpty:
            // Further steps have no time left.
            if steps.count == 1, pattern.matches(received) {
                steps = []
                return
            }
            let said = PrintableBytes.quote(received)
            throw ProbeFault(reason: .timeout, detail: "no match in time in \(received.count) bytes: \(said)")
        case .expect: throw ProbeFault(reason: .timeout, detail: "connected, and nothing was said in time")
        default: throw ProbeFault(reason: .timeout, detail: "connected, and the peer does not take what is sent")
        }
    }

    private func mismatch() -> ProbeFault {
        guard !received.isEmpty else {
            return ProbeFault(reason: .connectionClosed, detail: "the peer closed the connection and said nothing")
        }
        let end = hasEnded ? "the peer closed the connection after" : "no match in"
        return ProbeFault(
            reason: .unexpectedResponse,
            detail: "\(end) \(received.count) bytes: \(PrintableBytes.quote(received))"
        )
    }
}

/// One step of a dialogue on a connection.
package enum DialogueStep: Sendable, Hashable {
    /// Sends a text as it stands, in UTF-8; line ends are the writer's business.
    case send(String)
    /// Waits until the bytes received since the last `send`, at most 64 KiB, match.
    case expect(ProbePattern)
}
