// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD
import Glibc

/// A connection while a stream is written to it, in the clear or with TLS; the library owns the descriptor.
struct StreamSocket: Sendable {
    /// The outcome of a write.
    enum Outcome {
        /// The number of accepted bytes; fewer than offered if the socket's buffer is full.
        case sent(Int)
        /// The connection is broken.
        case broken
    }

    /// The descriptor.
    let descriptor: Int32

    /// The connection, if only GnuTLS may read and write.
    private let secure: ExchangeHandle?

    init(_ exchange: ExchangeHandle) {
        descriptor = unsafe reachd_http_exchange_descriptor(exchange.pointer)
        secure = unsafe reachd_http_exchange_is_secure(exchange.pointer) != 0 ? exchange : nil
    }

    /// Configures the socket for a stream: small packets immediately, a bounded buffer, and a timeout for clients that
    /// vanished. A unix socket rejects some options, which does no harm.
    func prepare(sendBuffer: Int, timeout: UInt64) {
        set(SOL_SOCKET, SO_SNDBUF, Int32(clamping: sendBuffer))
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: timeout / 1_000_000))
    }

    /// Writes what the socket accepts immediately.
    func send(_ bytes: [UInt8], from offset: Int = 0) -> Outcome {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe send(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
        }
    }

    /// Writes what the socket accepts immediately.
    func send(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        if let secure {
            let count = unsafe reachd_http_exchange_send(secure.pointer, bytes.baseAddress, bytes.count)
            return count < 0 ? .broken : .sent(Int(count))
        }
        while true {
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            let count = unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
            if count >= 0 { return .sent(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .sent(0)
            default: return .broken
            }
        }
    }

    /// Reads and discards what the client sends; a stream's client has nothing to send.
    ///
    /// - Returns: The number of bytes; nil when the client hung up or the connection is broken.
    func discard() -> Int? {
        if let secure {
            let count = unsafe reachd_http_exchange_discard(secure.pointer)
            return count < 0 ? nil : Int(count)
        }
        return unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer -> Int? in
            while true {
                let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 { return count }
                if count == 0 { return nil }
                switch errno {
                case EINTR: continue
                case EAGAIN: return 0
                default: return nil
                }
            }
        }
    }

    /// Ends the stream after what was written.
    func finish() {
        if let secure { return unsafe reachd_http_exchange_finish(secure.pointer) }
        shutdown(descriptor, Int32(SHUT_WR))
    }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
