// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import NetworkPaths

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
