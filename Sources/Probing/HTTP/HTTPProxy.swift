// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A proxy that is spoken to over plain HTTP: a request for an `http` URL is sent to it, a connection for an `https`
/// URL goes through it (CONNECT).
package struct HTTPProxy: Sendable, Hashable {
    /// Whom to connect to; a name is looked up by our resolver, as a target's is.
    package var host: ProbeHost
    /// Its port.
    package var port: UInt16
    /// The user of basic authentication at the proxy, and the file with the password.
    package var user: String?
    /// The file that has the password as its only line.
    package var passwordFile: String?

    /// Creates a proxy.
    package init(host: ProbeHost, port: UInt16, user: String? = nil, passwordFile: String? = nil) {
        self.host = host
        self.port = port
        self.user = user
        self.passwordFile = passwordFile
    }
}
