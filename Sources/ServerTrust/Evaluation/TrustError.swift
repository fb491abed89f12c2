// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why something that trust is to rest on cannot be used: a pin, a file, a setting.
public struct TrustError: Error, Sendable, Hashable {
    /// The stable codes.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A file or directory cannot be read.
        case unreadable
        /// It is longer than 1 MiB.
        case tooLong = "too_long"
        /// What should be a certificate is none (S19).
        case malformedCertificate = "malformed_certificate"
        /// There is no certificate in it.
        case noCertificate = "no_certificate"
        /// What should be a pin is none (S19).
        case malformedPin = "malformed_pin"
        /// Certificates are to be pinned, and the pin is a digest of a key: nothing can be verified against it.
        case certificateNeeded = "certificate_needed"
        /// Pins for a connection without TLS (S27).
        case invalidSecurityPolicy = "invalid_security_policy"
        /// There is no memory.
        case outOfMemory = "out_of_memory"
    }

    /// Which of them.
    public let code: Code
    /// What is wrong, for people.
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
