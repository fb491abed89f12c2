// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// An HTTP/2 server that answers the first request of a connection with given frames, whatever it is.
final class HTTP2Script: Sendable {
    private struct State {
        var received: [UInt8] = []
        var hasAnswered = false
    }

    private let answer: [UInt8]
    private let state = Mutex(State())

    init(_ answer: [UInt8]) {
        self.answer = answer
    }

    /// What a peer does: settings at once, the answer when the request is complete. For one connection.
    var behaviour: TestPeer.Behaviour {
        .answers { [self] bytes in
            state.withLock { state in
                let isFirst = state.received.isEmpty
                state.received += bytes
                var reply = isFirst ? Self.frame(4, flags: 0, stream: 0, []) : []
                if !state.hasAnswered,
                    Self.frames(in: state.received).contains(where: { $0.type < 2 && $0.flags & 1 != 0 })
                {
                    state.hasAnswered = true
                    reply += Self.frame(4, flags: 1, stream: 0, []) + answer
                }
                return reply.isEmpty ? nil : reply
            }
        }
    }

    /// The body of the request.
    var body: [UInt8] {
        state.withLock { state in Self.frames(in: state.received).filter { $0.type == 0 }.flatMap(\.payload) }
    }

    /// A frame (RFC 9113, section 4.1).
    static func frame(_ type: UInt8, flags: UInt8, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        return [UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), type, flags, 0, 0, 0, stream]
            + payload
    }

    /// Headers (type 1) of stream 1, none of them indexed (RFC 7541, section 6.2.2).
    static func headers(_ fields: [(String, String)], ends: Bool) -> [UInt8] {
        var block: [UInt8] = []
        for (name, value) in fields {
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        return frame(1, flags: ends ? 5 : 4, stream: 1, block)
    }

    /// Data (type 0) of stream 1.
    static func data(_ bytes: [UInt8], ends: Bool = false) -> [UInt8] {
        frame(0, flags: ends ? 1 : 0, stream: 1, bytes)
    }

    struct Frame {
        let type: UInt8
        let flags: UInt8
        let payload: [UInt8]
    }

    /// The whole frames after the client's preface.
    static func frames(in bytes: [UInt8]) -> [Frame] {
        var frames: [Frame] = []
        var rest = bytes.dropFirst(24)
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard rest.count >= 9 + count else { break }
            frames.append(Frame(type: head[3], flags: head[4], payload: Array(rest.dropFirst(9).prefix(count))))
            rest = rest.dropFirst(9 + count)
        }
        return frames
    }
}
