// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// IP addresses, address blocks and the interfaces after `%`.
package enum AddressText {
    /// Reads `192.0.2.1`, `2001:db8::1`, `fe80::1%eth0`.
    package static func read(_ text: String) throws(Diagnostic) -> ValidatedValue {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        if let first = parts.first, let address = IPAddress(String(first)) {
            guard parts.count == 2 else { return .address(address, interface: nil) }
            let interface = String(parts[1])
            guard isInterfaceName(interface) else {
                throw Diagnostic("is not an IP address: the text after % is not the name of an interface")
            }
            return .address(address, interface: interface)
        }
        if let prefix = IPPrefix(text) {
            throw Diagnostic("is an address block, not an address", hint: "write one address of it: \(prefix.address)")
        }
        let (host, port) = splitPort(text[...])
        if let port, IPAddress(String(host)) != nil {
            throw Diagnostic("has a port; an address has none", hint: "write address: \(host) and port: \(port)")
        }
        if host != text, IPAddress(String(host)) != nil {
            throw Diagnostic("is in brackets", hint: "write address: \(host)")
        }
        if case .host? = try? HostText.read(text) {
            throw Diagnostic("is not an IP address", hint: "write host: \(text) for a name")
        }
        throw Diagnostic("is not an IP address")
    }

    /// Reads `10.0.0.0/8`, `192.0.2.1`, or `default`.
    package static func readCoverage(_ text: String) throws(Diagnostic) -> ValidatedValue {
        if text == "default" { return .coverage(nil) }
        guard let prefix = IPPrefix(text) else {
            throw Diagnostic("is neither an address block nor default", hint: "write for example 10.0.0.0/8")
        }
        let written = text.split(separator: "/", maxSplits: 1).first.flatMap { IPAddress(String($0)) }
        guard prefix.address == written else {
            throw Diagnostic("has bits set beyond its length", hint: "did you mean \(prefix)?")
        }
        return .coverage(prefix)
    }

    /// Whether this can be the name of an interface, or one of its alternative names, which may be longer.
    package static func isInterfaceName(_ text: String) -> Bool {
        guard (1...127).contains(text.utf8.count), text != ".", text != ".." else { return false }
        return text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
    }

    /// Splits `host:port`, `[v6]:port` or `[v6]`; an IPv6 address without brackets has no port.
    package static func splitPort(_ text: Substring) -> (host: Substring, port: String?) {
        if text.first == "[", let end = text.firstIndex(of: "]") {
            let host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            if rest.isEmpty { return (host, nil) }
            guard rest.first == ":" else { return (text, nil) }
            return (host, String(rest.dropFirst()))
        }
        guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") else { return (text, nil) }
        return (text[..<colon], String(text[text.index(after: colon)...]))
    }
}
