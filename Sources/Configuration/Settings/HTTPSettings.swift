// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where the HTTP interface listens and what its clients may use up.
public struct HTTPSettings: Sendable, Hashable {
    /// Where it listens, at least one.
    public let listen: [ListenAddress]
    /// Connections at a time.
    public let connections: Int
    /// Connections at a time from one address; nil sets no such limit.
    public let connectionsPerAddress: Int?
    /// Bytes of the request line and the header fields together.
    public let headerSize: Int
    /// Bytes of a request's body.
    public let bodySize: Int
    /// How long a connection may say nothing.
    public let idleTimeout: Duration
    /// Streams at a time.
    public let maximumStreams: Int
    /// How often a stream that has nothing to say sends a comment.
    public let heartbeat: Duration
}
