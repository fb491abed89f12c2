// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The error that replaces a response when a server is rejected (S28, S30).
public struct TrustRejection: Error, Sendable, Hashable {
    /// The original's error domain, that of URL errors.
    public static let domain = "NSURLErrorDomain"
    /// The original's code, `NSURLErrorServerCertificateUntrusted`.
    public static let code = -1202

    /// The host of the connection; nil when unknown.
    public let host: String?
    /// The requested URL; nil when there is none.
    public let failingURL: String?
    /// The verdict that rejects the server.
    public let verdict: TrustVerdict

    /// Creates an error from its parts.
    public init(host: String?, failingURL: String? = nil, verdict: TrustVerdict) {
        self.host = host
        self.failingURL = failingURL
        self.verdict = verdict
    }
}

extension TrustRejection: CustomStringConvertible {
    /// The system's message, as in the original, followed by the first fault.
    public var description: String {
        let whom = host.map { " that is pretending to be “\($0)”" } ?? ""
        let reason = verdict.firstFault.map { " (\($0.code.rawValue): \($0.words))" } ?? ""
        return
            "The certificate for this server is invalid. You might be connecting to a server\(whom), which could put "
            + "your confidential information at risk.\(reason)"
    }
}

extension TrustVerdict {
    /// Throws unless the server is accepted.
    ///
    /// - Parameters:
    ///   - host: The host of the connection.
    ///   - url: The requested URL.
    public func requireAccepted(host: String?, url: String? = nil) throws(TrustRejection) {
        guard isAccepted else { throw TrustRejection(host: host, failingURL: url, verdict: self) }
    }
}
