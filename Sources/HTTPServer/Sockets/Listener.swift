// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One socket that a server listens on, and how.
package struct Listener: Sendable {
    /// Where the socket comes from.
    package enum Origin: Sendable {
        /// The server makes it.
        case address(ListenAddress)
        /// Whoever started the process made it.
        case inherited(InheritedSocket)
    }

    /// Where the socket comes from.
    package var origin: Origin
    /// With which certificate clients are met; absent: plain HTTP.
    package var certificate: CertificateFiles?

    /// Describes a socket.
    package init(_ origin: Origin, certificate: CertificateFiles? = nil) {
        self.origin = origin
        self.certificate = certificate
    }
}
