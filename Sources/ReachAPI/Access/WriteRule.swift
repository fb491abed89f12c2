// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import NetworkPaths

/// Decides which requests may change something: without tokens only those from this machine, and no page of another
/// site.
struct WriteRule {
    /// The names of this server.
    let hosts: HostRule
    /// Whether clients on other machines may write.
    var isOpenToAll = false

    /// Why a request may not write; nil if it may.
    func refusal(of request: HTTPRequest) -> String? {
        guard isOpenToAll || request.isFromUnixSocket || request.peerAddress?.isLoopback == true else {
            return "Changes are accepted from this machine only."
        }
        // Pages of other sites must not be able to trigger changes. Browsers send where a page is from (RFC 6454, Fetch
        // Metadata); a request without these headers is not from a page.
        if let site = request.header("Sec-Fetch-Site"), site != "same-origin", site != "none" { return Self.foreign }
        guard let origin = request.header("Origin") else {
            // A page's own GET has no origin; the permissions in its answer must hold for its POST, which has one.
            let isAsking = request.method == "GET" && request.header("Sec-Fetch-Site") == "same-origin"
            return isAsking && !hosts.isOurs(request.header("Host") ?? "") ? Self.rebound : nil
        }
        guard let host = request.header("Host"), origin == "http://\(host)" || origin == "https://\(host)" else {
            return Self.foreign
        }
        // Where every name is allowed, a foreign name may resolve to this server (DNS rebinding); an address cannot.
        return hosts.isOurs(host) ? nil : Self.rebound
    }

    private static let rebound =
        "Changes are accepted only from pages at an address of this server or at a name in `allowed_hosts`."
    private static let foreign = "Changes are not accepted from pages of other sites."
}

/// The names that a request's `Host` header may have.
///
/// A page in a browser can make its own name resolve to 127.0.0.1 and then read a server on loopback as same-origin
/// (DNS rebinding); the `Host` header still carries that page's name.
package enum HostRule: Sendable, Hashable {
    /// Every name: for servers that other machines use.
    case any
    /// `localhost`, names below it, loopback addresses, and these names; case and port are ignored.
    case loopback(also: Set<String>)

    /// Whether requests may use this host; a text that is not an authority is refused.
    func allows(_ host: String) -> Bool {
        guard case .loopback(let others) = self else { return true }
        guard let name = Self.name(host) else { return false }
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if let address = IPAddress(name), address.isLoopback { return true }
        return others.contains { $0.lowercased() == name }
    }

    /// Whether only this server can have the name: it is an address, or a configured name.
    func isOurs(_ host: String) -> Bool {
        if let name = Self.name(host), IPAddress(name) != nil { return true }
        switch self {
        case .any: return HostRule.loopback(also: []).allows(host)
        case .loopback: return allows(host)
        }
    }

    /// The host in lower case, without port, brackets and a trailing dot.
    private static func name(_ text: String) -> String? {
        guard let host = HTTPAuthority(text)?.host else { return nil }
        return host.hasSuffix(".") ? String(host.dropLast()) : host
    }
}

/// Headers for pages of other sites (CORS): allowed origins may read, and send a token; never with the browser's own
/// credentials.
enum CrossOrigin {
    /// The headers for an answer to a page of an allowed origin.
    static func fields(for request: HTTPRequest, allowed: Set<String>) -> [HTTPHeader] {
        guard !allowed.isEmpty else { return [] }
        guard let origin = request.header("Origin"), allowed.contains(origin) else {
            // The answer depends on the header, so caches must keep the variants apart.
            return [HTTPHeader("Vary", "Origin")]
        }
        return [
            HTTPHeader("Vary", "Origin"), HTTPHeader("Access-Control-Allow-Origin", origin),
            HTTPHeader("Access-Control-Expose-Headers", "ETag, Location, Retry-After"),
        ]
    }

    /// The headers for a preflight request; none for any other request.
    static func preflight(_ request: HTTPRequest, methods: [HTTPMethod], allowed: Set<String>) -> [HTTPHeader] {
        guard let origin = request.header("Origin"), allowed.contains(origin),
            request.header("Access-Control-Request-Method") != nil
        else { return [] }
        return [
            HTTPHeader("Access-Control-Allow-Methods", methods.map(\.rawValue).joined(separator: ", ")),
            HTTPHeader(
                "Access-Control-Allow-Headers",
                "Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID"
            ),
            HTTPHeader("Access-Control-Max-Age", "600"),
        ]
    }
}
