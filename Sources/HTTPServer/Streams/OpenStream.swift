// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// One client's stream: its state, and the few chunks being sent. Used only by the broadcaster's thread after it is
/// passed there.
final class OpenStream {
    /// The source of the bytes.
    let source: any StreamSource
    /// The client's socket.
    let socket: StreamSocket
    /// The connection, to be returned at the end.
    let exchange: ExchangeHandle
    /// Its index in the broadcaster's list.
    var index = 0
    /// Its watch for hang-up and writability.
    var watch: WatchToken?
    /// Chunks not yet fully written, shared with other streams.
    var pending: [[UInt8]]
    /// The bytes written of the first of them.
    var offset = 0
    /// The source has ended.
    var isEnding: Bool
    /// The socket's buffer is full; the source is not polled meanwhile.
    var isBlocked = false
    /// The source had more bytes than one turn allows.
    var isUnfinished = false
    /// The time of the last write, or since when none is possible.
    var lastProgress: UInt64 = 0
    /// The deadline of the stream; nil for none.
    var deadline: UInt64?
    /// Bytes from the client, which are discarded.
    var discarded = 0

    /// Creates a stream that begins with its response's head; for HEAD that is all.
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
