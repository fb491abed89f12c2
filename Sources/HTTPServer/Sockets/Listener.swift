// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One socket that a server listens on, and how.
public struct Listener: Sendable {
    /// Where the socket comes from.
    public enum Origin: Sendable {
        /// The server makes it.
        case address(ListenAddress)
        /// Whoever started the process made it.
        case inherited(InheritedSocket)
    }

    /// Where the socket comes from.
    public var origin: Origin
    /// With which certificate clients are met; absent: plain HTTP.
    public var certificate: CertificateFiles?

    /// Describes a socket.
    public init(_ origin: Origin, certificate: CertificateFiles? = nil) {
        self.origin = origin
        self.certificate = certificate
    }
}
