// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses
import LinuxIO

/// A target in the text form of a scrape: `host`, `host:port`, `[2001:db8::1]:443`, `[fe80::1%eth0]:443`,
/// `https://host/path`, or `https://[fe80::1%25eth0]/path`.
package struct ProbeTarget: Sendable, Hashable {
    /// The limit of the text in bytes.
    package static let longestText = 2_048

    /// The text.
    package let text: String
    /// The host to probe.
    package let host: ProbeHost
    /// The interface of a scoped address, if the text has one.
    package let interface: String?
    /// The port, if the text has one.
    package let port: UInt16?
    /// The URL, if the text is one.
    package let url: HTTPURL?

    /// Parses a text.
    ///
    /// - Throws: ``ProbeTargetError`` when the text is not a target.
    package init(_ text: String) throws(ProbeTargetError) {
        try Self.checkLength(text)
        if Self.hasScheme(text) {
            try self.init(text, url: text)
            return
        }
        guard !Self.hasPath(text) else {
            throw ProbeTargetError("has a path, a query or a fragment, which require a scheme (http:// or https://)")
        }
        let (name, port) = try Self.split(text)
        let (host, interface) = try Self.scoped(name)
        self.init(text: text, host: host, interface: interface, port: port, url: nil)
    }

    /// Parses the target of an http probe: text with a path, a query or a fragment is a URL, by default with the scheme
    /// `http`, like blackbox_exporter.
    ///
    /// - Throws: ``ProbeTargetError`` when the text is not a target.
    init(http text: String) throws(ProbeTargetError) {
        try Self.checkLength(text)
        guard !Self.hasScheme(text), Self.hasPath(text) else {
            try self.init(text)
            return
        }
        // With a third slash, the URL parser would take the first path segment as the host.
        guard !Self.hasPath(text.prefix(1)) else { throw ProbeTargetError("has neither a host name nor an address") }
        try self.init(text, url: "http://" + text)
    }

    private init(_ text: String, url: String) throws(ProbeTargetError) {
        let parsed: HTTPURL
        do throws(HTTPURLError) {
            parsed = try HTTPURL(url)
        } catch {
            throw ProbeTargetError("is not a URL: \(error.message)")
        }
        let interface = parsed.interface
        self.init(text: text, host: try Self.host(parsed.host), interface: interface, port: nil, url: parsed)
    }

    private init(text: String, host: ProbeHost, interface: String?, port: UInt16?, url: HTTPURL?) {
        self.text = text
        self.host = host
        self.interface = interface
        self.port = port
        self.url = url
    }

    private static func checkLength(_ text: String) throws(ProbeTargetError) {
        guard text.utf8.count <= longestText else { throw ProbeTargetError("is longer than \(longestText) bytes") }
    }

    /// Returns whether the text has a scheme; a `://` in a path or a query does not count.
    private static func hasScheme(_ text: String) -> Bool {
        guard let sign = text.firstRange(of: "://") else { return false }
        return !hasPath(text[..<sign.lowerBound])
    }

    private static func hasPath(_ text: some StringProtocol) -> Bool {
        text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    }

    private static func split(_ text: String) throws(ProbeTargetError) -> (host: String, port: UInt16?) {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            if rest.isEmpty { return (host, nil) }
            guard rest.first == ":" else { throw ProbeTargetError("is not of the form [ADDRESS]:PORT") }
            return (host, try port(rest.dropFirst()))
        }
        // Two colons without brackets are an IPv6 address.
        guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") else { return (text, nil) }
        return (String(text[..<colon]), try port(text[text.index(after: colon)...]))
    }

    private static func port(_ text: Substring) throws(ProbeTargetError) -> UInt16 {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text), port != 0 else {
            throw ProbeTargetError("needs a port from 1 to 65535 after its colon")
        }
        return port
    }

    /// Parses a host, or an address with its interface.
    private static func scoped(_ name: String) throws(ProbeTargetError) -> (ProbeHost, interface: String?) {
        guard let sign = name.firstIndex(of: "%"), let address = IPAddress(String(name[..<sign])) else {
            return (try host(name), nil)
        }
        let interface = String(name[name.index(after: sign)...])
        guard (1...127).contains(interface.utf8.count), interface.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ProbeTargetError("lacks an interface after %")
        }
        return (.address(address), interface)
    }

    /// Returns the host with its name in ASCII. Refuses invalid names: resolving them would depend on the resolver's search list.
    static func host(_ written: String) throws(ProbeTargetError) -> ProbeHost {
        let name = InternationalName.ascii(written) ?? written
        if let address = IPAddress(name) { return .address(address) }
        let isName =
            name.utf8.count <= 253
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
            }
            && name.split(separator: ".", omittingEmptySubsequences: false).dropLast(name.hasSuffix(".") ? 1 : 0)
                .allSatisfy { (1...63).contains($0.utf8.count) }
        guard isName, !name.isEmpty, name != "." else {
            throw ProbeTargetError("is neither a valid host name nor an address")
        }
        return .name(name)
    }
}

extension ProbeTarget {
    /// Returns the port to probe, for a kind that needs one.
    ///
    /// - Parameters:
    ///   - isNamed: Whether the module sets a port.
    ///   - standard: That port.
    func port(orIf isNamed: Bool, _ standard: UInt16) throws(ProbeTargetError) -> UInt16 {
        guard let port = port ?? (isNamed ? standard : nil) else {
            throw ProbeTargetError("has no port, and the module sets none")
        }
        return port
    }

    /// Returns the URL; text that is not a URL becomes an `http` URL, like in blackbox_exporter.
    func httpURL() throws(ProbeTargetError) -> HTTPURL {
        if let url { return url }
        let name = HTTPURL.bracketed(host.description)
        do throws(HTTPURLError) {
            return try HTTPURL("http://\(name)" + (port.map { ":\($0)" } ?? "") + "/")
        } catch {
            throw ProbeTargetError("is not a URL: \(error.message)")
        }
    }
}

/// The host of a probe.
package enum ProbeHost: Sendable, Hashable {
    /// An address, which is not resolved.
    case address(IPAddress)
    /// A host name, which each run resolves.
    case name(String)
}

extension ProbeHost: CustomStringConvertible {
    /// The address or the name.
    package var description: String {
        switch self {
        case .address(let address): address.description
        case .name(let name): name
        }
    }
}

/// The error for a text that is not a target.
package struct ProbeTargetError: Error, Sendable, Hashable {
    /// The message; it follows the target in a sentence.
    package let message: String

    init(_ message: String) { self.message = message }
}
