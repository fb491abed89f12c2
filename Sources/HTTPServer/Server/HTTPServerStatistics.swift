// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a server did so far.
package struct HTTPServerStatistics: Sendable, Hashable {
    /// Connections accepted.
    package var acceptedConnections: UInt64 = 0
    /// Connections open now, streams among them.
    package var openConnections: UInt64 = 0
    /// Connections ended because a request took too long to come.
    package var slowConnections: UInt64 = 0
    /// Times that no connection could be accepted for lack of descriptors or memory.
    package var failedAccepts: UInt64 = 0
    /// Requests whose header was complete.
    package var requests: UInt64 = 0
    /// Answers by the first figure of their status; index 0 is 1xx.
    package var responsesByClass: [UInt64] = [0, 0, 0, 0, 0]
    /// Requests that no route saw, because the server refused them.
    package var refusedRequests: UInt64 = 0
    /// Streams open now.
    package var openStreams: UInt64 = 0
    /// Streams begun.
    package var startedStreams: UInt64 = 0
    /// Streams ended because their client took nothing.
    package var stalledStreams: UInt64 = 0
    /// Bytes written to streams.
    package var streamedBytes: UInt64 = 0

    /// Creates statistics in which nothing has happened.
    package init() {}
}
