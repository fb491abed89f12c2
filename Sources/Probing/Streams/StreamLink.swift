// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// A connection, with TLS on it or without.
struct StreamLink {
    let socket: ProbeSocket
    var tls: TLSConnection?

    /// Sends what the socket takes.
    func send(_ bytes: ArraySlice<UInt8>) throws(ProbeFault) -> StreamStep<Int> {
        if let tls { return try tls.send(bytes) }
        return switch try socket.send(bytes) {
        case .done(let count): .done(count)
        case .wouldBlock: .waits(.writable)
        }
    }

    /// Receives at most so many bytes; none is the peer's end.
    func receive(_ limit: Int) throws(ProbeFault) -> StreamStep<[UInt8]> {
        if let tls { return try tls.receive(limit) }
        return switch try socket.receive(limit) {
        case .done(let bytes): .done(bytes)
        case .wouldBlock: .waits(.readable)
        }
    }
}
