// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The error for a pin, file or setting of a policy that cannot be used.
public struct TrustError: Error, Sendable, Hashable {
    /// The stable codes.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A file or directory cannot be read.
        case unreadable
        /// A file is longer than 1 MiB, or a directory has more than 1,000 certificates.
        case tooLong = "too_long"
        /// A supposed certificate is malformed (S19).
        case malformedCertificate = "malformed_certificate"
        /// A file, directory or input contains no certificate.
        case noCertificate = "no_certificate"
        /// A supposed pin is malformed (S19).
        case malformedPin = "malformed_pin"
        /// The policy pins certificates but a pin is a key digest, which nothing can be verified against.
        case certificateNeeded = "certificate_needed"
        /// Pins for a connection without TLS (S27).
        case invalidSecurityPolicy = "invalid_security_policy"
        /// Out of memory.
        case outOfMemory = "out_of_memory"
    }

    /// The code.
    public let code: Code
    /// The message for people.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension TrustError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
