// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
internal import CCurl
import LinuxIO

/// An `http` or `https` URL, parsed by libcurl, so that its parts are exactly those that libcurl uses.
package struct HTTPURL: Sendable, Hashable {
    /// Whether it is `https`.
    package let isSecure: Bool
    /// The host's name in ASCII, or its address without brackets.
    package let host: String
    /// The host as it was written, perhaps beyond ASCII.
    package let writtenHost: String
    /// The interface of an IPv6 address, `http://[fe80::1%25eth0]/` (RFC 6874); servers are not told.
    package let interface: String?
    /// The port, by default the scheme's.
    package let port: UInt16
    /// The path and the query.
    package let target: String

    /// Parses a URL.
    ///
    /// - Throws: ``HTTPURLError`` for another scheme, for credentials, and for text that is not a URL.
    package init(_ text: String) throws(HTTPURLError) {
        try Self.checkForm(text)
        try self.init(encoded: URLText.encoded(text.utf8), base: nil)
        guard !hasUser else {
            throw HTTPURLError(message: "the URL contains a user or password, which would be visible: use auth instead")
        }
    }

    /// Parses a redirect's location, dropping credentials.
    init(redirect location: [UInt8], from base: HTTPURL) throws(HTTPURLError) {
        try self.init(encoded: URLText.encoded(location), base: base.description)
        hasUser = false
    }

    /// Creates a URL from its parts.
    init(isSecure: Bool, host: String, port: UInt16, target: String) {
        self.isSecure = isSecure
        self.host = host
        writtenHost = host
        interface = nil
        self.port = port
        self.target = target
    }

    private var hasUser = false

    /// Rejects texts in which libcurl would guess a host (RFC 3986, section 3): `http:/a`, `http:///a`,
    /// `http://htp:/a`.
    private static func checkForm(_ text: String) throws(HTTPURLError) {
        let example = "write https://example.org/health"
        guard let mark = text.firstRange(of: "://") else {
            throw HTTPURLError(message: "\(PrintableBytes.quote(text.utf8)) is not a URL: \(example)")
        }
        let authority = text[mark.upperBound...].prefix { !"/?#".contains($0) }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        guard !place.isEmpty else { throw HTTPURLError(message: "the host is missing after ://; \(example)") }
        guard !place.hasSuffix(":") else {
            throw HTTPURLError(message: "\(PrintableBytes.quote(place.utf8)) has a : without a port; \(example)")
        }
        guard !text.utf8.contains(where: { $0 == 0x20 || $0 == UInt8(ascii: "\\") }) else {
            throw HTTPURLError(message: "a URL must not contain a blank or backslash; write %20 or %5C")
        }
    }

    private init(encoded text: String, base: String?) throws(HTTPURLError) {
        guard text.utf8.count <= Self.limit, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw HTTPURLError(message: "it is longer than \(Self.limit) bytes, or has a control character")
        }
        var parts = unsafe reachd_curl_url_parts()
        defer { unsafe reachd_curl_url_free(&parts) }
        guard unsafe reachd_curl_url_parse(base, text, &parts) != 0 else {
            throw HTTPURLError(message: "\(PrintableBytes.quote(text.utf8)) is not a URL")
        }
        switch unsafe Self.string(parts.scheme) {
        case "http"?: isSecure = false
        case "https"?: isSecure = true
        default: throw HTTPURLError(message: "the scheme is not http or https")
        }
        guard let host = unsafe Self.string(parts.host), !host.isEmpty else {
            throw HTTPURLError(message: "the host is missing")
        }
        guard let ascii = InternationalName.ascii(host) else {
            throw HTTPURLError(message: "\(PrintableBytes.quote(host.utf8)) is not a host name")
        }
        guard let port = unsafe Self.string(parts.port).flatMap({ UInt16($0) }), port != 0 else {
            throw HTTPURLError(message: "the port is not a number from 1 to 65535")
        }
        self.host = ascii.hasPrefix("[") ? String(ascii.dropFirst().dropLast()) : ascii
        writtenHost = host.hasPrefix("[") ? self.host : host
        interface = unsafe Self.string(parts.zone)
        self.port = port
        let query = unsafe Self.string(parts.query).map { "?" + $0 } ?? ""
        target = (unsafe Self.string(parts.path) ?? "/") + query
        hasUser = unsafe parts.user != nil || parts.password != nil
    }

    /// The scheme.
    package var scheme: String { isSecure ? "https" : "http" }

    /// The host and, unless it is the scheme's default, the port, as in the header `Host`.
    package var authority: String {
        port == (isSecure ? 443 : 80) ? Self.bracketed(host) : "\(Self.bracketed(host)):\(port)"
    }

    /// Returns whether scheme, host and port are equal, so that credentials may be sent.
    func hasOrigin(of other: HTTPURL) -> Bool {
        isSecure == other.isSecure && port == other.port && interface == other.interface
            && host.lowercased() == other.host.lowercased()
    }

    /// Returns the URL with another host.
    func replacingHost(_ host: String) -> HTTPURL {
        HTTPURL(isSecure: isSecure, host: host, port: port, target: target)
    }

    /// Returns a host with brackets around an IPv6 address.
    static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    private static let limit = 8 << 10

    private static func string(_ text: UnsafeMutablePointer<CChar>?) -> String? {
        unsafe text.map { unsafe String(cString: $0) }
    }
}

extension HTTPURL {
    /// The URL as it is read again, with the interface.
    package var text: String {
        guard let interface else { return description }
        return description.replacing("[\(host)]", with: "[\(host)%25\(interface)]", maxReplacements: 1)
    }

    /// What is wrong with its host, and what to write: a link-local address without an interface. nil for nothing.
    package var hostFlaw: (words: String, hint: String)? {
        guard interface == nil, let address = IPAddress(host), address.needsInterface else { return nil }
        return ("\(address) \(IPAddress.missingInterface)", "write [\(address)%25eth0], with the interface's name")
    }
}

extension HTTPURL: CustomStringConvertible {
    /// The URL, without a fragment and the interface.
    package var description: String { "\(scheme)://\(authority)\(target)" }
}

extension HTTPURL {
    /// Returns the URL without query and fragment, which may contain tokens.
    package static func withoutQuery(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "#" }) }
}

/// The error for a text that is not a URL for probes.
package struct HTTPURLError: Error, Sendable, Hashable {
    /// The message: one line for people.
    package let message: String
}

extension HTTPURLError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
