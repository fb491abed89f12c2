// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One place where the HTTP interface listens, and how.
package struct ListenSettings: Sendable, Hashable {
    /// Where.
    package let address: ListenAddress
    /// The permission bits of a unix socket's file; nil for the service's own choice.
    package let mode: UInt32?
    /// With which certificate; nil for plain HTTP.
    package let tls: CertificateSettings?

    /// A place with nothing special about it.
    package init(_ address: ListenAddress, mode: UInt32? = nil, tls: CertificateSettings? = nil) {
        self.address = address
        self.mode = mode
        self.tls = tls
    }

    /// The service's standard address.
    package static let standard = ListenSettings(.standard)

    /// Whether only this machine can connect, as far as the configuration can tell.
    package var isLocal: Bool { address.isLocal }
}

extension ListenSettings: CustomStringConvertible {
    /// The address.
    package var description: String { address.description }
}
