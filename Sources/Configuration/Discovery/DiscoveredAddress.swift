// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Probing
import Schema

/// A parsed address of a discovery file: `host`, `host:port`, `[2001:db8::1]:443`, or `https://host/path`.
struct DiscoveredAddress {
    let host: String
    /// The interface of a link-local address in a URL.
    let interface: String?
    let port: Int?
    /// The whole URL, if it was one.
    let url: String?
    /// Unique for the address.
    let id: String

    init(_ text: String) throws(Diagnostic) {
        guard text.utf8.count <= 1_024 else { throw Diagnostic("is longer than 1024 bytes") }
        let ascii: String
        if text.contains("://") {
            do throws(HTTPURLError) {
                let url = try HTTPURL(text)
                host = url.writtenHost
                interface = url.interface
                port = Int(url.port)
                ascii = url.description
            } catch {
                throw Diagnostic("is not a URL: \(error.message)")
            }
            url = text
        } else {
            let (host, port) = try Self.split(text)
            guard let name = InternationalName.ascii(host) else {
                throw Diagnostic("has a host that is not a host name")
            }
            ascii = name + (port.map { ":\($0)" } ?? "")
            (self.host, self.port, interface, url) = (host, port, nil, nil)
        }
        // After an IPv6 address another colon would look like a part of it.
        let isIPv6 = url == nil && host.contains(":")
        id =
            isIPv6
            ? host + (port.map { "-\($0)" } ?? "") : Self.identifier(text.utf8.allSatisfy { $0 < 0x80 } ? text : ascii)
    }

    private static func split(_ text: String) throws(Diagnostic) -> (host: String, port: Int?) {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            if rest.isEmpty { return (host, nil) }
            guard rest.first == ":" else { throw Diagnostic("is not an address", hint: "write [ADDRESS]:PORT") }
            return (host, try port(rest.dropFirst()))
        }
        guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") else { return (text, nil) }
        return (String(text[..<colon]), try port(text[text.index(after: colon)...]))
    }

    private static func port(_ text: Substring) throws(Diagnostic) -> Int {
        guard text.utf8.count <= 5, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(text),
            (1...65_535).contains(port)
        else { throw Diagnostic("has no port between 1 and 65535 after its colon") }
        return port
    }

    /// The text with `-` for each run of characters that ids cannot have; a long one is cut and gets its hash.
    static func identifier(_ text: String) -> String {
        var id = ""
        // A URL's `://` becomes a single dash.
        let parts = text.split(separator: "://", maxSplits: 1)
        for character in parts.count == 2 ? "\(parts[0])/\(parts[1])" : text {
            if TextForm.isIdentifier(String(character)) {
                id.append(character)
            } else if !id.isEmpty, id.last != "-" {
                id.append("-")
            }
        }
        while id.last == "-" { id.removeLast() }
        guard id.utf8.count > 128 || id.isEmpty else { return id }
        return id.prefix(100) + "-" + String(StableHash.fnv1a(text.utf8), radix: 16)
    }
}
