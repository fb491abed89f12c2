// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import NetworkPaths

/// Who may change something: without tokens only who is on this machine, and no page in a browser but our own.
struct WriteRule {
    /// Which names are ours.
    let hosts: HostRule
    /// Whether clients on other machines may.
    var isOpenToAll = false

    /// Why a request may not; nil for one that may.
    func refusal(of request: HTTPRequest) -> String? {
        guard isOpenToAll || request.isFromUnixSocket || request.peerAddress?.isLoopback == true else {
            return "Changes are taken from this machine only."
        }
        // A page elsewhere must not be able to press our buttons. Its browser says where it is from (RFC 6454, Fetch
        // Metadata); a request without these fields is no page's.
        if let site = request.header("Sec-Fetch-Site"), site != "same-origin", site != "none" { return Self.foreign }
        guard let origin = request.header("Origin") else {
            // A page's own GET has no origin; what it is told that it may do has to hold for its POST, which has one.
            let isAsking = request.method == "GET" && request.header("Sec-Fetch-Site") == "same-origin"
            return isAsking && !hosts.isOurs(request.header("Host") ?? "") ? Self.rebound : nil
        }
        guard let host = request.header("Host"), origin == "http://\(host)" || origin == "https://\(host)" else {
            return Self.foreign
        }
        // Where every name is allowed, one that somebody made to lead here is too (DNS rebinding); an address cannot be.
        return hosts.isOurs(host) ? nil : Self.rebound
    }

    private static let rebound =
        "Changes are taken from pages under an address of this server or a name of `allowed_hosts` only."
    private static let foreign = "Changes are not taken from pages of other sites."
}

/// Which names a request may call the server by in its `Host` field.
///
/// A page in a browser can make its own name resolve to 127.0.0.1 and then read a server on loopback as if it were its
/// own (DNS rebinding); the `Host` field still carries that page's name and gives it away.
package enum HostRule: Sendable, Hashable {
    /// Every name: for servers that are meant to be reached from elsewhere.
    case any
    /// `localhost`, names below it, loopback addresses, and these names; compared without regard to case, port ignored.
    case loopback(also: Set<String>)

    /// Whether requests may call the server so; a text that is not an authority names nothing that is ours.
    func allows(_ host: String) -> Bool {
        guard case .loopback(let others) = self else { return true }
        guard let name = Self.name(host) else { return false }
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if let address = IPAddress(name), address.isLoopback { return true }
        return others.contains { $0.lowercased() == name }
    }

    /// Whether nobody else can have made a name lead here: it is an address, or a name that is known to be ours.
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

/// What a browser is told of pages of other sites (CORS): those that are allowed may read, and send a token; never with
/// what the browser would add by itself.
enum CrossOrigin {
    /// The fields for an answer to a page of an allowed site.
    static func fields(for request: HTTPRequest, allowed: Set<String>) -> [HTTPHeader] {
        guard !allowed.isEmpty else { return [] }
        guard let origin = request.header("Origin"), allowed.contains(origin) else {
            // Whether it is allowed depends on the field, so no cache may mix the two up.
            return [HTTPHeader("Vary", "Origin")]
        }
        return [
            HTTPHeader("Vary", "Origin"), HTTPHeader("Access-Control-Allow-Origin", origin),
            HTTPHeader("Access-Control-Expose-Headers", "ETag, Location, Retry-After"),
        ]
    }

    /// The fields for the question before a request (preflight); none when it is no such question.
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
