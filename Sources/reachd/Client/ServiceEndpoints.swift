// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import Configuration
import HTTPServer
import Probing
import ReachAPI

/// Where a service is, from what people write and from its configuration.
enum ServiceEndpoints {
    /// Reads `http://127.0.0.1:7532`, `https://reachd.example.org/base`, `127.0.0.1:7532` or `unix:/run/reachd.sock`.
    ///
    static func place(_ text: String, option: String) throws(ServiceFault) -> HTTPEndpoint {
        if case .unix(let path, mode: _)? = ListenSettings(text)?.address { return HTTPEndpoint(unixSocket: path) }
        let written = text.contains("://") ? text : "http://\(text)"
        let url: HTTPURL
        do throws(HTTPURLError) {
            url = try HTTPURL(written)
        } catch {
            let words = "\(option) is neither a URL such as http://127.0.0.1:7532 nor unix:/PATH: \(error.message)"
            throw ServiceFault(words, .usage)
        }
        guard !url.target.contains("?") else { throw ServiceFault("\(option) has a query", .usage) }
        let base = url.target.hasSuffix("/") ? String(url.target.dropLast()) : url.target
        return HTTPEndpoint(url: "\(url.scheme)://\(url.authority)\(base)")
    }

    /// Where a service with these settings can be asked from this machine: what needs no certificate first.
    static func places(of settings: HTTPSettings) -> [HTTPEndpoint] {
        let listen = settings.listen.filter { $0.tls == nil } + settings.listen.filter { $0.tls != nil }
        return listen.compactMap { place in
            guard let endpoint = place.address.flatMap(ServiceEndpoint.init) else { return nil }
            switch endpoint {
            case .unix(let path): return HTTPEndpoint(unixSocket: path, basePath: settings.api.basePath)
            case .tcp:
                let scheme = place.tls == nil ? "http" : "https"
                return HTTPEndpoint(url: "\(scheme)://\(endpoint)\(settings.api.basePath)")
            }
        }
    }
}
