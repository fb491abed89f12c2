// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// An address that a server listens on.
package enum ListenAddress: Sendable, Hashable {
    /// A TCP address: a literal IPv4 or IPv6 address (with `%scope` if needed) and a port, 0 for any free one.
    ///
    /// `::` accepts IPv4 clients too, unless the same server listens on an IPv4 address with the same port. `*` is `::`
    /// if there is IPv6, `0.0.0.0` otherwise. `localhost` is `127.0.0.1`.
    case tcp(host: String, port: UInt16)
    /// A unix socket's path and its file's permission bits.
    case unix(path: String, mode: UInt32)

    /// The default permission bits of a unix socket: its owner and group may connect.
    package static let defaultMode: UInt32 = 0o660
}

extension ListenAddress: CustomStringConvertible {
    /// `127.0.0.1:7532`, `[::1]:7532`, `*:7532` or `unix:/run/reachd.sock`.
    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path, _): "unix:\(path)"
        }
    }
}

/// One socket that a server listens on, with its settings.
package struct Listener: Sendable {
    /// The origin of the socket.
    package enum Origin: Sendable {
        /// The server creates it.
        case address(ListenAddress)
        /// The process inherited it.
        case inherited(InheritedSocket)
    }

    /// The origin of the socket.
    package var origin: Origin
    /// The certificate; absent: plain HTTP.
    package var certificate: CertificateFiles?

    /// Creates a listener.
    package init(_ origin: Origin, certificate: CertificateFiles? = nil) {
        self.origin = origin
        self.certificate = certificate
    }
}
