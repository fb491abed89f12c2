// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// One request on one connection, redirects not followed.
struct CurlRequest {
    /// A user and a secret.
    struct Login {
        let user: String
        let password: String
    }

    var url: HTTPURL
    var method = "GET"
    /// Lines as libcurl takes them.
    var headers: [String] = []
    var body: [UInt8]?
    var version = HTTPVersion.any
    var acceptsCompression = false
    var login: Login?
    /// Whom to connect to: the target's address, or the proxy's.
    var address: IPAddress
    var port: UInt16
    var origin: ProbeOrigin
    /// Whether what is connected to is a proxy, and what it asks for.
    var usesProxy = false
    var proxyLogin: Login?
    /// How TLS is set up and verified; nil for a URL without it.
    var tls: TLSCheck?
    /// How many bytes of the body are read.
    var bodyLimit = 1 << 20
    /// Counts what is received, over all requests of an attempt.
    var meter: ReceiveMeter
    /// What is kept of the answer beyond what is counted.
    var keepsHeaders = false
    var keepsBody = false
}
