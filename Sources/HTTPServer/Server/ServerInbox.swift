// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD
import LinuxIO
import Synchronization

/// What other threads leave for the server's thread, and the event counter that wakes it.
final class ServerInbox: Sendable {
    /// What was left.
    struct Content {
        /// Connections of streams that are over.
        var released: [ExchangeHandle] = []
        /// Responses of deferred requests; nil for one that will never have any.
        var answers: [(exchange: ExchangeHandle, response: HTTPResponse?)] = []
        /// Certificates for the sockets of these indices.
        var certificates: [(index: Int, certificate: ServerCertificate)] = []
        /// When to give up waiting for requests, in nanoseconds of the monotonic clock; nil while nobody said stop.
        var stopDeadline: UInt64?
        /// No stream is left, and none begins any more.
        var streamsHaveEnded = false
        /// What to run, in this order.
        var jobs: [@Sendable () -> Void] = []
    }

    /// Wakes the server's thread.
    let wake: OwnedDescriptor
    private let content = Mutex(Content())

    init() throws(SystemError) {
        wake = try OwnedDescriptor.eventCounter()
    }

    /// Gives a stream's connection back.
    func release(_ exchange: ExchangeHandle) {
        let isFirst = content.withLock { content in
            content.released.append(exchange)
            return content.released.count == 1
        }
        if isFirst { wake.signal() }
    }

    /// Answers a deferred request.
    func answer(_ exchange: ExchangeHandle, with response: HTTPResponse?) {
        let isFirst = content.withLock { content in
            content.answers.append((exchange, response))
            return content.answers.count == 1
        }
        if isFirst { wake.signal() }
    }

    /// Has another certificate shown.
    func show(_ certificate: ServerCertificate, at index: Int) {
        content.withLock { $0.certificates.append((index, certificate)) }
        wake.signal()
    }

    /// Has a job run on the server's thread.
    func execute(_ job: @escaping @Sendable () -> Void) {
        content.withLock { $0.jobs.append(job) }
        wake.signal()
    }

    /// Asks the server's thread to end.
    func stop(by deadline: UInt64) {
        content.withLock { $0.stopDeadline = deadline }
        wake.signal()
    }

    /// Says that all streams were given back.
    func streamsHaveEnded() {
        content.withLock { $0.streamsHaveEnded = true }
        wake.signal()
    }

    /// What was left so far; the connections are taken, the rest stays.
    func take() -> Content {
        content.withLock { content in
            let taken = content
            content.released = []
            content.answers = []
            content.certificates = []
            content.jobs = []
            return taken
        }
    }
}

/// A connection of the C side, passed between threads as a name.
@safe struct ExchangeHandle: Sendable {
    /// Safe to pass on: only the server's thread uses what it points to.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Tells it apart from all other connections that are open.
    var id: UInt { unsafe UInt(bitPattern: pointer) }
}
