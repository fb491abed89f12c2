// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where the HTTP interface listens and what its clients may use up.
package struct HTTPSettings: Sendable, Hashable {
    /// Where it listens, at least one.
    package let listen: [ListenSettings]
    /// Which names a request may call this service by, in lower case; nil for any.
    package let allowedHosts: Set<String>?
    /// Whether the configuration says so, and not the addresses that it listens on.
    package let namesHosts: Bool
    /// The path that all routes are below, without a slash at its end; empty for none.
    package let basePath: String
    /// Who may do what.
    package let access: AccessSettings
    /// Connections at a time; nil for as many as the process may have descriptors.
    package let connections: Int?
    /// Connections at a time from one address; nil sets no such limit.
    package let connectionsPerAddress: Int?
    /// Bytes of the request line and the header fields together.
    package let headerSize: Int
    /// Bytes of a request's body.
    package let bodySize: Int
    /// The time for a request's line and header fields.
    package let headerTimeout: Duration
    /// The time for a request's body.
    package let bodyTimeout: Duration
    /// How long a connection may say nothing.
    package let idleTimeout: Duration
    /// Streams at a time.
    package let maximumStreams: Int
    /// How often a stream that has nothing to say sends a comment.
    package let heartbeat: Duration
    /// How long a stream's client may take no byte.
    package let stallTimeout: Duration
}
