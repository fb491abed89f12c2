// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A header of a request.
package struct HTTPHeader: Sendable, Hashable {
    /// The name.
    package let name: String
    /// The value.
    package let value: String

    /// Creates a header.
    ///
    /// - Returns: nil when the name is not a token or the value contains a control character (RFC 9110, section 5),
    ///   either of which could inject another header.
    package init?(name: String, value: String) {
        guard Self.isToken(name), !value.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
            return nil
        }
        self.name = name
        self.value = value
    }

    /// Returns whether a text can be a header name or a method (RFC 9110, section 5.6.2).
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Whether to send it to another origin after a redirect: it describes the content or the client's capabilities,
    /// not its identity.
    var isForAnyOrigin: Bool {
        [
            "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-language",
            "content-type", "expect", "pragma", "user-agent",
        ].contains(name.lowercased())
    }

    /// The header in libcurl's form: without a value, a semicolon replaces the colon.
    var line: String { value.allSatisfy { $0 == " " || $0 == "\t" } ? "\(name);" : "\(name): \(value)" }
}

/// The HTTP version of a probe.
package enum HTTPVersion: String, Sendable, Hashable, CaseIterable {
    /// HTTP/2 over TLS if the server supports it, otherwise HTTP/1.1.
    case any
    /// HTTP/1.1.
    case http1 = "1.1"
    /// Only HTTP/2; without TLS with prior knowledge (RFC 9113, section 3.3).
    case http2 = "2"
}
