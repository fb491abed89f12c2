// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// A target as a scrape names it, taken apart: `host`, `host:port`, `[2001:db8::1]:443`, `[fe80::1%eth0]:443`, or
/// `https://host/path`.
package struct ProbeTarget: Sendable, Hashable {
    /// The longest text that is taken, in bytes.
    package static let longestText = 2_048

    /// The text.
    package let text: String
    /// Whom to ask.
    package let host: ProbeHost
    /// The interface behind an address, where the text names one.
    package let interface: String?
    /// The port, where the text has one.
    package let port: UInt16?
    /// The URL, where the text is one.
    package let url: HTTPURL?

    /// Takes a text apart.
    ///
    /// - Throws: ``ProbeTargetError`` for what is no target.
    package init(_ text: String) throws(ProbeTargetError) {
        try Self.checkLength(text)
        if Self.hasScheme(text) {
            try self.init(text, url: text)
            return
        }
        guard !Self.hasPath(text) else {
            throw ProbeTargetError("has a path, a query or a fragment, which only a URL has")
        }
        let (name, port) = try Self.split(text)
        let (host, interface) = try Self.scoped(name)
        self.init(text: text, host: host, interface: interface, port: port, url: nil)
    }

    /// Takes a text of an http probe apart: with a path, a query or a fragment it is a URL, and without a scheme one of
    /// `http`, as blackbox_exporter has it.
    ///
    /// - Throws: ``ProbeTargetError`` for what is no target.
    init(http text: String) throws(ProbeTargetError) {
        try Self.checkLength(text)
        guard !Self.hasScheme(text), Self.hasPath(text) else {
            try self.init(text)
            return
        }
        // With a third slash the URL's reader takes the first part of the path for the host.
        guard !Self.hasPath(text.prefix(1)) else { throw ProbeTargetError("has neither a host name nor an address") }
        try self.init(text, url: "http://" + text)
    }

    private init(_ text: String, url: String) throws(ProbeTargetError) {
        let parsed: HTTPURL
        do throws(HTTPURLError) {
            parsed = try HTTPURL(url)
        } catch {
            throw ProbeTargetError("is no URL: \(error.message)")
        }
        self.init(text: text, host: try Self.host(parsed.host), interface: nil, port: nil, url: parsed)
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

    /// A `://` in a path or a query makes no scheme of what is before it.
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
        // Two colons without brackets are an address of IPv6.
        guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") else { return (text, nil) }
        return (String(text[..<colon]), try port(text[text.index(after: colon)...]))
    }

    private static func port(_ text: Substring) throws(ProbeTargetError) -> UInt16 {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text), port != 0 else {
            throw ProbeTargetError("has no port between 1 and 65535 behind its colon")
        }
        return port
    }

    /// Reads a host, or an address with its interface.
    private static func scoped(_ name: String) throws(ProbeTargetError) -> (ProbeHost, interface: String?) {
        guard let sign = name.firstIndex(of: "%"), let address = IPAddress(String(name[..<sign])) else {
            return (try host(name), nil)
        }
        let interface = String(name[name.index(after: sign)...])
        guard (1...127).contains(interface.utf8.count), interface.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ProbeTargetError("names no interface behind %")
        }
        return (.address(address), interface)
    }

    /// Whoever has a name that cannot be one gets no look-up: what it would do is up to the resolver's search list.
    static func host(_ name: String) throws(ProbeTargetError) -> ProbeHost {
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
            throw ProbeTargetError("has neither a host name nor an address")
        }
        return .name(name)
    }
}

extension ProbeTarget {
    /// The port that is asked, for a kind that needs one.
    ///
    /// - Parameters:
    ///   - isNamed: whether the module names a port.
    ///   - standard: that port.
    func port(orIf isNamed: Bool, _ standard: UInt16) throws(ProbeTargetError) -> UInt16 {
        guard let port = port ?? (isNamed ? standard : nil) else {
            throw ProbeTargetError("has no port, and neither has the module")
        }
        return port
    }

    /// The URL; what is no URL is a host of `http`, as blackbox_exporter has it.
    func httpURL() throws(ProbeTargetError) -> HTTPURL {
        if let url { return url }
        let name = HTTPURL.bracketed(host.description)
        do throws(HTTPURLError) {
            return try HTTPURL("http://\(name)" + (port.map { ":\($0)" } ?? "") + "/")
        } catch {
            throw ProbeTargetError("is no URL: \(error.message)")
        }
    }
}

/// Whom a probe asks.
package enum ProbeHost: Sendable, Hashable {
    /// An address; nothing is looked up.
    case address(IPAddress)
    /// A host name; looked up anew by each run.
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

/// Why a text is no target of a probe.
package struct ProbeTargetError: Error, Sendable, Hashable {
    /// Words that follow the target.
    package let message: String

    init(_ message: String) { self.message = message }
}
