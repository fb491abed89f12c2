// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

/// Which names a request may call the server by in its `Host` field.
///
/// A page in a browser can make its own name resolve to 127.0.0.1 and then read a server on loopback as if it were its
/// own (DNS rebinding); the `Host` field still carries that page's name and gives it away.
public enum HostRule: Sendable, Hashable {
    /// Every name: for servers that are meant to be reached from elsewhere.
    case any
    /// `localhost`, names below it, loopback addresses, and these names; compared without regard to case, port ignored.
    case loopback(also: Set<String>)

    func allows(_ host: some StringProtocol) -> Bool {
        guard case .loopback(let others) = self else { return true }
        let name = Self.name(String(host)).lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if let address = IPAddress(name), address.isLoopback { return true }
        return others.contains { $0.lowercased() == name }
    }

    /// Whether nobody else can have made a name lead here: it is an address, or a name that is known to be ours.
    func isOurs(_ host: some StringProtocol) -> Bool {
        if IPAddress(Self.name(String(host))) != nil { return true }
        switch self {
        case .any: return HostRule.loopback(also: []).allows(host)
        case .loopback: return allows(host)
        }
    }

    /// The host without port, brackets and a trailing dot.
    private static func name(_ host: String) -> String {
        var name = host[...]
        if name.first == "[" {
            name = name.dropFirst().prefix { $0 != "]" }
        } else if let colon = name.firstIndex(of: ":"), colon == name.lastIndex(of: ":") {
            name = name[..<colon]
        }
        if name.last == "." { name = name.dropLast() }
        return String(name)
    }
}
