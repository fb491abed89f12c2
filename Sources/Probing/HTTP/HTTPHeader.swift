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
    /// - Returns: nil when the name is not a token or the value has a control character (RFC 9110, section 5): either
    ///   could smuggle in a header more.
    package init?(name: String, value: String) {
        guard Self.isToken(name), !value.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
            return nil
        }
        self.name = name
        self.value = value
    }

    /// Whether a text can be a header's name or a method (RFC 9110, section 5.6.2).
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Whether it goes along with a redirect to another origin: it says what is understood or sent, and never who asks.
    var isForAnyOrigin: Bool {
        [
            "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-language",
            "content-type", "expect", "pragma", "user-agent",
        ].contains(name.lowercased())
    }

    /// As libcurl takes it: a header without a value has a semicolon for its colon.
    var line: String { value.allSatisfy { $0 == " " || $0 == "\t" } ? "\(name);" : "\(name): \(value)" }
}

/// Which HTTP a probe speaks.
package enum HTTPVersion: String, Sendable, Hashable, CaseIterable {
    /// HTTP/2 over TLS when the server has it, HTTP/1.1 otherwise.
    case any
    /// HTTP/1.1.
    case http1 = "1.1"
    /// HTTP/2 and nothing else; without TLS from the first byte (RFC 9113, section 3.3).
    case http2 = "2"
}
