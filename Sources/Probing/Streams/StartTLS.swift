// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Going over to TLS on a connection that stands.
public struct StartTLS: Sendable, Hashable {
    /// How it is asked for.
    public var applicationProtocol: StartTLSProtocol
    /// How TLS is spoken then.
    public var tls: TLSSettings

    /// Creates settings.
    public init(_ applicationProtocol: StartTLSProtocol, tls: TLSSettings = TLSSettings()) {
        self.applicationProtocol = applicationProtocol
        self.tls = tls
    }
}
