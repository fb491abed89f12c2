// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD
import LinuxIO
import Synchronization

/// A queue of other threads' messages to the server's thread, and the event counter that wakes it.
final class ServerInbox: Sendable {
    /// The pending messages.
    struct Content {
        /// Connections of ended streams.
        var released: [ExchangeHandle] = []
        /// Responses of deferred requests; nil for one that will never have any.
        var answers: [(exchange: ExchangeHandle, response: HTTPResponse?)] = []
        /// Certificates for the sockets of these indices.
        var certificates: [(index: Int, certificate: ServerCertificate)] = []
        /// When to stop waiting for requests, in nanoseconds of the monotonic clock; nil unless stopping.
        var stopDeadline: UInt64?
        /// All streams have ended, and no new ones begin.
        var streamsHaveEnded = false
        /// Jobs to run in this order.
        var jobs: [@Sendable () -> Void] = []
    }

    /// Wakes the server's thread.
    let wake: OwnedDescriptor
    private let content = Mutex(Content())

    init() throws(SystemError) {
        wake = try OwnedDescriptor.eventCounter()
    }

    /// Returns a stream's connection.
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

    /// Replaces a certificate.
    func show(_ certificate: ServerCertificate, at index: Int) {
        content.withLock { $0.certificates.append((index, certificate)) }
        wake.signal()
    }

    /// Runs a job on the server's thread.
    func execute(_ job: @escaping @Sendable () -> Void) {
        content.withLock { $0.jobs.append(job) }
        wake.signal()
    }

    /// Stops the server's thread.
    func stop(by deadline: UInt64) {
        content.withLock { $0.stopDeadline = deadline }
        wake.signal()
    }

    /// Reports that all streams were returned.
    func streamsHaveEnded() {
        content.withLock { $0.streamsHaveEnded = true }
        wake.signal()
    }

    /// The messages so far; the connections are removed, the rest stays.
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

/// A connection of the C side, passed between threads as an opaque handle.
@safe struct ExchangeHandle: Sendable {
    /// Safe to pass on: only the server's thread uses what it points to.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Identifies it among all open connections.
    var id: UInt { unsafe UInt(bitPattern: pointer) }
}
