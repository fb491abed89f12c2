// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import BlockingHTTP

/// The error of a source's look.
package struct SourceError: Error, Sendable, Hashable {
    /// The kinds of errors; raw values are stable, for programs.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The connection is refused, or the server's name has no address.
        case unreachable
        /// The server did not respond in time.
        case timeout
        /// The server's certificate is not trusted.
        case untrusted
        /// TLS failed in another way.
        case tls = "tls_failed"
        /// The server requires other credentials (401), or does not permit the request (403).
        case denied
        /// The server responded with another status than expected.
        case status = "http_status"
        /// The response could not be read.
        case malformed
        /// There are more targets than `limits.targets` permits.
        case tooMany = "too_many_targets"
        /// The response is too large.
        case tooLarge = "too_large"
        /// The DNS servers did not answer, or answered with an error.
        case resolution
        /// A file with credentials or authorities cannot be used.
        case file = "unusable_file"
        /// The system refused a thread or a socket.
        case system
    }

    /// The kind.
    package let code: Code
    /// The message, without secrets.
    package let words: String

    /// Creates an error.
    package init(_ code: Code, _ words: String) {
        self.code = code
        self.words = words
    }

    /// The error of a request without a usable response.
    package init(_ error: HTTPClientError) {
        let code: Code =
            switch error.code {
            case .unreachable: .unreachable
            case .timeout: .timeout
            case .insecure: .untrusted
            case .handshake: .tls
            case .authorities, .credentials: .file
            case .tooLarge: .tooLarge
            case .garbled, .invalid, .cancelled: .malformed
            }
        self.init(code, error.detail)
    }

    /// The error of a response with an unexpected status.
    package init(status: Int) {
        switch status {
        case 401: self.init(.denied, "the server requires other credentials (status 401)")
        case 403: self.init(.denied, "the server does not permit the request (status 403)")
        default: self.init(.status, "the server responded with status \(status)")
        }
    }
}

extension SourceError: CustomStringConvertible {
    /// `words [code]`
    package var description: String { "\(words) [\(code.rawValue)]" }
}
