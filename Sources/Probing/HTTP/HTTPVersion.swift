// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Which HTTP a probe speaks.
package enum HTTPVersion: String, Sendable, Hashable, CaseIterable {
    /// HTTP/2 over TLS when the server has it, HTTP/1.1 otherwise.
    case any
    /// HTTP/1.1.
    case http1 = "1.1"
    /// HTTP/2 and nothing else; without TLS from the first byte (RFC 9113, section 3.3).
    case http2 = "2"
}
