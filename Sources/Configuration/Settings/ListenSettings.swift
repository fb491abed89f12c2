// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One place where the HTTP interface listens, and how.
public struct ListenSettings: Sendable, Hashable {
    /// Where.
    public let address: ListenAddress
    /// The permission bits of a unix socket's file; nil for the service's own choice.
    public let mode: UInt32?
    /// With which certificate; nil for plain HTTP.
    public let tls: CertificateSettings?

    /// A place with nothing special about it.
    public init(_ address: ListenAddress, mode: UInt32? = nil, tls: CertificateSettings? = nil) {
        self.address = address
        self.mode = mode
        self.tls = tls
    }

    /// The service's standard address.
    public static let standard = ListenSettings(.standard)

    /// Whether only this machine can connect, as far as the configuration can tell.
    public var isLocal: Bool { address.isLocal }
}

extension ListenSettings: CustomStringConvertible {
    /// The address.
    public var description: String { address.description }
}
