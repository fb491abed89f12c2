// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where a service is asked.
package struct AskedPlace: Sendable, Hashable {
    /// `http://127.0.0.1:7532` and the path that all routes are below, without a slash at its end.
    package let url: String
    /// The socket to connect to in place of the URL's host.
    package let unixSocket: String?

    /// A server by its URL.
    package init(url: String) {
        self.url = url
        unixSocket = nil
    }

    /// A server by its socket.
    ///
    /// - Parameters:
    ///   - unixSocket: the socket's path.
    ///   - basePath: what all routes are below, without a slash at its end.
    package init(unixSocket: String, basePath: String = "") {
        url = "http://localhost" + basePath
        self.unixSocket = unixSocket
    }
}

extension AskedPlace: CustomStringConvertible {
    /// As `--url` takes it.
    package var description: String { unixSocket.map { "unix:\($0)" } ?? url }
}
