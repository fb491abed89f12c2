// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// One client's stream: where it stands, and the few pieces that are on their way. It belongs to the broadcaster's thread from
/// the moment it is handed over.
final class OpenStream {
    /// Where the bytes come from.
    let source: any StreamSource
    /// Where they go.
    let socket: StreamSocket
    /// The connection, for the day it is given back.
    let exchange: ExchangeHandle
    /// Its place in the broadcaster's list.
    var index = 0
    /// Its watch for hang-up and room.
    var watch: WatchToken?
    /// Pieces not yet written whole, shared with other streams.
    var pending: [[UInt8]]
    /// How much of the first of them was written.
    var offset = 0
    /// The source has said all it has to say.
    var isEnding: Bool
    /// The socket's buffer is full; the source is not asked meanwhile.
    var isBlocked = false
    /// It had more to say than one turn allows.
    var isUnfinished = false
    /// When bytes were written last, or since when none can be.
    var lastProgress: UInt64 = 0
    /// When it has to be over; at no time when nil.
    var deadline: UInt64?
    /// What the client sent that nobody reads.
    var discarded = 0

    /// A stream that begins with its response's head; for HEAD that is all.
    init(_ source: any StreamSource, socket: StreamSocket, exchange: ExchangeHandle, head: [UInt8], isHead: Bool) {
        self.source = source
        self.socket = socket
        self.exchange = exchange
        pending = [head]
        isEnding = isHead
    }

    /// Counts bytes as written.
    func consume(_ count: Int) {
        var left = count + offset
        var whole = 0
        while whole < pending.count, left >= pending[whole].count {
            left -= pending[whole].count
            whole += 1
        }
        pending.removeFirst(whole)
        offset = left
    }
}
