// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A request to an HTTP server, and what counts as its answer.
///
/// Whom to connect to is the request's host, ``ProbeRequest/host``: as a rule the URL's, but one server of several that
/// share a name can be asked by its address. With a proxy it is the proxy that is looked up and connected to.
package struct HTTPProbeSettings: Sendable, Hashable {
    /// What to ask for.
    package var url: HTTPURL
    /// The method, such as `GET`.
    package var method: String
    /// Headers; one of a name that libcurl would send replaces it, for one with an empty value none is sent.
    package var headers: [HTTPHeader]
    /// The body; nil for none.
    package var body: [UInt8]?
    /// Which HTTP is spoken.
    package var version: HTTPVersion
    /// How many redirects are followed; 0: the redirect is the answer.
    ///
    /// A redirect's host is looked up by the same resolver as the target's; on another host, port or scheme no
    /// credentials are shown; another protocol than http and https is refused.
    package var redirects: Int
    /// The proxy to go through.
    package var proxy: HTTPProxy?
    /// How TLS is spoken with servers of `https`; the protocols that are offered follow from ``version``. On another
    /// host, port or scheme no certificate of ours is shown, and no other name than that host's is asked for.
    package var tls: TLSSettings
    /// What to show to be let in.
    package var credentials: HTTPCredentials?
    /// Whether the server may compress the body.
    package var acceptsCompression: Bool
    /// How many bytes of the body are read, after decompression; a larger one ends there, which is no failure unless
    /// ``HTTPExpectation/refusesLargerBody``.
    package var bodyLimit: Int
    /// What must be true of the answer.
    package var expectation: HTTPExpectation

    /// Creates settings; everything but the URL has a default.
    package init(
        url: HTTPURL,
        method: String = "GET",
        headers: [HTTPHeader] = [],
        body: [UInt8]? = nil,
        version: HTTPVersion = .any,
        redirects: Int = 0,
        proxy: HTTPProxy? = nil,
        tls: TLSSettings = TLSSettings(),
        credentials: HTTPCredentials? = nil,
        acceptsCompression: Bool = true,
        bodyLimit: Int = 1 << 20,
        expectation: HTTPExpectation = HTTPExpectation()
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.version = version
        self.redirects = redirects
        self.proxy = proxy
        self.tls = tls
        self.credentials = credentials
        self.acceptsCompression = acceptsCompression
        self.bodyLimit = bodyLimit
        self.expectation = expectation
    }
}
