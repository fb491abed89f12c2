// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Synchronization

/// A stream's source that says what the test tells it to.
final class TestSource: StreamSource {
    private struct State {
        var pieces: [StreamChunk] = []
        var asked = 0
        var ends = 0
        var lastWords: [UInt8]?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    /// Goes on for ever with this when nothing else is there.
    private let endless: [UInt8]?
    let heartbeat: [UInt8]

    init(_ pieces: [StreamChunk] = [], endless: [UInt8]? = nil, heartbeat: String = ": beat\n\n") {
        self.endless = endless
        self.heartbeat = Array(heartbeat.utf8)
        state.withLock { $0.pieces = pieces }
    }

    convenience init(_ text: String) {
        self.init([.bytes(Array(text.utf8))])
    }

    func add(_ piece: StreamChunk) {
        state.withLock { $0.pieces.append(piece) }
    }

    func add(_ text: String) {
        add(.bytes(Array(text.utf8)))
    }

    /// What to say when the pieces are used up, once, and then no more.
    func setLastWords(_ text: String) {
        state.withLock { $0.lastWords = Array(text.utf8) }
    }

    /// How often the server asked.
    var asked: Int { state.withLock { $0.asked } }
    /// How often the server said that the stream is over.
    var ends: Int { state.withLock { $0.ends } }

    /// Waits for the end.
    func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.ends > 0 { return true }
                state.waiting.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    func next() -> StreamChunk {
        state.withLock { state in
            state.asked += 1
            if !state.pieces.isEmpty { return state.pieces.removeFirst() }
            if let words = state.lastWords {
                state.lastWords = nil
                return .bytes(words)
            }
            if let endless { return .bytes(endless) }
            return .idle
        }
    }

    func didEnd() {
        let waiting = state.withLock { state in
            state.ends += 1
            let waiting = state.waiting
            state.waiting = []
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
