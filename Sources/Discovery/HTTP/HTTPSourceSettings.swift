// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import BlockingHTTP

/// The settings of an HTTP source.
package struct HTTPSourceSettings: Sendable, Hashable {
    /// The URL of the list.
    package var url: String
    /// The credentials; nil for none.
    package var authorization: HTTPAuthorization?
    /// The CA file; nil for the system's CAs.
    package var authorities: String?
    /// The file of the client's certificate and its chain (PEM); nil for none.
    package var clientCertificate: String?
    /// The file of the certificate's key (PEM); nil if it is in the certificate's file.
    package var clientKey: String?
    /// Whether the server's certificate is verified.
    package var verifies = true
    /// The pause between two requests.
    package var refresh: Duration = .seconds(60)
    /// The timeout of a request.
    package var timeout: Duration = .seconds(10)

    /// Creates settings with the defaults.
    package init(url: String) { self.url = url }

    /// A client with these settings.
    var client: BlockingHTTPClient {
        var client = BlockingHTTPClient(HTTPEndpoint(url: url), timeout: timeout)
        client.authorization = authorization
        client.authorities = authorities
        client.clientCertificate = clientCertificate
        client.clientKey = clientKey
        client.verifies = verifies
        return client
    }
}
