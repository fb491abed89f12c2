// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Going over to TLS on a connection that stands.
package struct StartTLS: Sendable, Hashable {
    /// How it is asked for.
    package var applicationProtocol: StartTLSProtocol
    /// How TLS is spoken then.
    package var tls: TLSSettings

    /// Creates settings.
    package init(_ applicationProtocol: StartTLSProtocol, tls: TLSSettings = TLSSettings()) {
        self.applicationProtocol = applicationProtocol
        self.tls = tls
    }
}
