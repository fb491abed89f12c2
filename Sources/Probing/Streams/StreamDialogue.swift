// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// What is said on an established connection. Pure.
protocol StreamConversation {
    /// How many more bytes may be received.
    var room: Int { get }
    /// Whether bytes are wanted now.
    var isExpecting: Bool { get }
    /// Whether nothing is said.
    var isEmpty: Bool { get }
    /// The result in words, behind "connected".
    var words: String { get }
    /// The time that the peer has for its reply once all is sent, in place of the rest of the run's timeout; nil for that rest.
    var replyTime: Duration? { get }

    /// Takes received bytes; none at the peer's end.
    mutating func take(_ bytes: [UInt8])
    /// Takes a step.
    ///
    /// - Parameter mayLook: Whether the received bytes may be matched now.
    mutating func next(mayLook: Bool) throws(ProbeFault) -> StreamDialogue.Action
    /// Ends the conversation at the deadline; throws unless it is complete.
    mutating func expire() throws(ProbeFault)
}

/// A dialogue on an established connection, and its progress. Pure.
struct StreamDialogue: StreamConversation {
    static let receiveLimit = 64 << 10
    private static let promptScanLimit = 4 << 10

    let isEmpty: Bool
    private var steps: ArraySlice<DialogueStep>
    private(set) var received: [UInt8] = []
    private var hasEnded = false

    /// The next action.
    enum Action {
        /// Send bytes.
        case send([UInt8])
        /// Receive more.
        case receive
        /// Receive more, but match after a pause: a peer that sends single bytes must not cost us more than itself.
        case receiveSlowly
        /// The dialogue completed as expected.
        case done
    }

    init(_ steps: [DialogueStep]) {
        isEmpty = steps.isEmpty
        self.steps = steps[...]
    }

    /// The remaining buffer space in bytes.
    var room: Int { Self.receiveLimit - received.count }

    var isExpecting: Bool { if case .expect = steps.first { true } else { false } }

    var words: String { isEmpty ? "" : ", and the dialogue went as expected" }

    var replyTime: Duration? { nil }

    mutating func take(_ bytes: [UInt8]) {
        if bytes.isEmpty { hasEnded = true }
        received += bytes
    }

    mutating func next(mayLook: Bool) throws(ProbeFault) -> Action {
        switch steps.first {
        case nil: return .done
        case .send(let text):
            steps.removeFirst()
            received = []
            return .send(Array(text.utf8))
        case .expect(let pattern):
            // At the end or the limit, match regardless of the pace: nothing follows.
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

    /// Checks whether the bytes since the last match complete the dialogue.
    mutating func expire() throws(ProbeFault) {
        switch steps.first {
        case .expect(let pattern) where !received.isEmpty:
            // No time is left for further steps.
            if steps.count == 1, pattern.matches(received) {
                steps = []
                return
            }
            let said = PrintableBytes.quote(received)
            throw ProbeFault(reason: .timeout, detail: "no match in time in \(received.count) bytes: \(said)")
        case .expect: throw ProbeFault(reason: .timeout, detail: "connected, but the peer sent nothing in time")
        default: throw ProbeFault(reason: .timeout, detail: "connected, but the peer does not read what is sent")
        }
    }

    private func mismatch() -> ProbeFault {
        guard !received.isEmpty else {
            return ProbeFault(reason: .connectionClosed, detail: "the peer closed the connection without a response")
        }
        let end = hasEnded ? "the peer closed the connection after" : "no match in"
        return ProbeFault(
            reason: .unexpectedResponse,
            detail: "\(end) \(received.count) bytes: \(PrintableBytes.quote(received))"
        )
    }
}

/// A step of a dialogue on a connection.
package enum DialogueStep: Sendable, Hashable {
    /// Sends a text verbatim, in UTF-8, including its line ends.
    case send(String)
    /// Waits until the bytes received since the last `send`, at most 64 KiB, match.
    case expect(ProbePattern)
}
