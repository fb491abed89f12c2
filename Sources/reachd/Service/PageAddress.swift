// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer

/// Where a browser on this machine finds the page.
enum PageAddress {
    /// The page's URL at an address that the server listens on; nil for a unix socket or a link-local address.
    ///
    /// - Parameters:
    ///   - address: a wildcard becomes a name of this machine that every configuration answers for.
    ///   - isSecure: whether it speaks TLS.
    ///   - basePath: the path that all routes are below; empty for none.
    static func url(at address: ListenAddress, isSecure: Bool, basePath: String) -> String? {
        guard case .tcp(let host, let port) = address else { return nil }
        let name =
            switch host {
            case "*", "0.0.0.0", "::": "localhost"
            // Browsers take no zone in a URL.
            case let literal where literal.contains("%"): nil as String?
            case let literal where literal.contains(":"): "[\(literal)]"
            default: host
            }
        guard let name else { return nil }
        return "\(isSecure ? "https" : "http")://\(name):\(port)\(basePath)/"
    }
}
