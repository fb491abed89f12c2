// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A server was rejected: the error that takes the place of an answer (S28, S30).
public struct TrustRejection: Error, Sendable, Hashable {
    /// The original's domain, that of errors with URLs.
    public static let domain = "NSURLErrorDomain"
    /// The original's code, `NSURLErrorServerCertificateUntrusted`.
    public static let code = -1202

    /// Whom the connection was for; nil when nobody said.
    public let host: String?
    /// What was asked for; nil when there is no URL.
    public let failingURL: String?
    /// Why.
    public let verdict: TrustVerdict

    /// Creates an error from its parts.
    public init(host: String?, failingURL: String? = nil, verdict: TrustVerdict) {
        self.host = host
        self.failingURL = failingURL
        self.verdict = verdict
    }
}

extension TrustRejection: CustomStringConvertible {
    /// The system's sentence, as the original has it, and the first reason.
    public var description: String {
        let whom = host.map { " that is pretending to be “\($0)”" } ?? ""
        let reason = verdict.firstFault.map { " (\($0.code.rawValue): \($0.words))" } ?? ""
        return
            "The certificate for this server is invalid. You might be connecting to a server\(whom), which could put "
            + "your confidential information at risk.\(reason)"
    }
}

extension TrustVerdict {
    /// Throws when the server is rejected, for whoever goes on only with one that is accepted.
    ///
    /// - Parameters:
    ///   - host: Whom the connection is for.
    ///   - url: What is asked for.
    public func requireAccepted(host: String?, url: String? = nil) throws(TrustRejection) {
        guard isAccepted else { throw TrustRejection(host: host, failingURL: url, verdict: self) }
    }
}
