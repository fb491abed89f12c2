// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where a server listens.
package enum ListenAddress: Sendable, Hashable {
    /// A TCP address: a literal IPv4 or IPv6 address (with `%scope` where it needs one) and a port, 0 for any free one.
    ///
    /// `::` takes IPv4 clients too, unless the same server listens on an IPv4 address with the same port. `*` is `::`
    /// where there is IPv6, `0.0.0.0` where there is none. `localhost` is `127.0.0.1`.
    case tcp(host: String, port: UInt16)
    /// A unix socket's path and its file's permission bits.
    case unix(path: String, mode: UInt32)

    /// The permission bits of a unix socket for which none are given: its owner and group may connect.
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
