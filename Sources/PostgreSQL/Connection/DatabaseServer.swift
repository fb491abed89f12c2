// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The server of an open connection.
package struct DatabaseServer: Sendable, Hashable {
    /// Its version, as 150018 for 15.18.
    package let version: Int32
    /// The host of the URI: a name, an address or the folder of a Unix socket.
    package let host: String
    /// The address; nil for a Unix socket.
    package let address: String?
    /// The port.
    package let port: UInt16
    /// Whether the connection is encrypted.
    package let usesTLS: Bool
    /// Whether the server is a standby; nil when it does not report it (before version 14, and some poolers) and nothing required
    /// to ask.
    package let isInRecovery: Bool?
}

/// A notification (`NOTIFY`).
package struct DatabaseNotification: Sendable, Hashable {
    /// The channel.
    package let channel: String
    /// The payload; may be empty.
    package let payload: String
    /// The process id of the sending session on the server.
    package let process: Int32
}
