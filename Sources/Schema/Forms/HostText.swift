// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// Host names (R42): RFC 1123 labels, underscores allowed because the DNS does.
package enum HostText {
    /// - Returns: The name in ASCII and as written, without trailing dots; an address is unchanged.
    package static func read(_ text: String) throws(Diagnostic) -> ValidatedValue {
        try rejectURL(text)
        guard let ascii = InternationalName.ascii(text) else {
            throw Diagnostic("is not a host name: it has characters that no name can have")
        }
        if let address = IPAddress(ascii) { return .address(address, interface: nil) }
        if text.contains("%") {
            throw Diagnostic("has an interface", hint: "write address: for an address with %interface")
        }
        var name = ascii[...]
        while name.last == "." { name = name.dropLast() }
        guard !name.isEmpty else { throw Diagnostic("is not a host name") }
        guard name.utf8.count <= 253 else { throw Diagnostic("is longer than 253 bytes") }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        for label in labels {
            guard !label.isEmpty else { throw Diagnostic("is not a host name: it begins with . or has two in a row") }
            guard label.utf8.count <= 63 else {
                throw Diagnostic("is not a host name: a label is longer than 63 bytes")
            }
            guard label.utf8.allSatisfy(isAllowed) else {
                throw Diagnostic("is not a host name: it may contain only letters, digits, -, _ and .")
            }
            guard label.first != "-", label.last != "-" else {
                throw Diagnostic("is not a host name: a label begins or ends with -")
            }
        }
        if let last = labels.last, last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            throw Diagnostic(
                "is neither a host name nor an IP address",
                hint: "an IPv4 address has four numbers up to 255"
            )
        }
        return .host(String(name), written: ascii == text ? String(name) : text)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// A scheme, a user, a path or a port is part of a URL: its parts go into the hint.
    private static func rejectURL(_ text: String) throws(Diagnostic) {
        var rest = text[...]
        var scheme: Substring?
        if let mark = rest.firstIndex(of: ":"), rest[mark...].hasPrefix("://") {
            scheme = rest[..<mark]
            rest = rest[mark...].dropFirst(3)
        }
        let slash = rest.firstIndex(of: "/")
        let afterPath = slash.map { rest[$0...] }
        if let slash { rest = rest[..<slash] }
        let user = rest.lastIndex(of: "@")
        if let user { rest = rest[rest.index(after: user)...] }
        let (host, port) = AddressText.splitPort(rest)
        guard scheme != nil || slash != nil || user != nil || port != nil || host != rest else { return }
        let portHint = port ?? scheme.flatMap { ["http": "80", "https": "443"][$0.lowercased()] }
        let hint = host.isEmpty ? nil : "write host: \(host)" + (portHint.map { " and port: \($0)" } ?? "")
        if scheme != nil { throw Diagnostic("is a URL, not a host name", hint: hint) }
        if let afterPath, IPPrefix(text) != nil, afterPath.count > 1 {
            throw Diagnostic("is an address block, not a host name", hint: "write one address of it")
        }
        if slash != nil { throw Diagnostic("has a path, which a host name cannot have", hint: hint) }
        if user != nil { throw Diagnostic("has a user, which a host name cannot have", hint: hint) }
        throw Diagnostic("has a port, which a host name cannot have", hint: hint)
    }
}
