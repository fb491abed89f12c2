// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL

/// A fault of a server's certificates.
public struct TrustFault: Sendable, Hashable {
    /// The stable codes in order of weight: specific causes come before their likely consequences.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The policy contradicts itself: name checks need pins when invalid certificates are allowed (S7).
        case nameCheckNeedsPins = "name_check_needs_pins"
        /// A certificate has expired.
        case expired
        /// A certificate is not valid yet.
        case notYetValid = "not_yet_valid"
        /// The server's certificate is for other names.
        case hostnameMismatch = "hostname_mismatch"
        /// A signature does not match the issuer's key.
        case badSignature = "bad_signature"
        /// A certificate was signed by one that must not sign certificates.
        case notAnAuthority = "not_an_authority"
        /// The chain has more CAs than one of them or our limit allows.
        case pathTooLong = "path_too_long"
        /// A CA must not sign for such names, or has a name constraint that is not supported.
        case nameConstraint = "name_constraint"
        /// A certificate has a critical extension that is not supported.
        case criticalExtension = "critical_extension"
        /// A certificate's key usage does not allow TLS servers.
        case wrongPurpose = "wrong_purpose"
        /// A key is too short, or its algorithm is unknown.
        case weakKey = "weak_key"
        /// A signature algorithm can be forged.
        case weakSignature = "weak_signature"
        /// The certificate's validity period is too long.
        case lifetimeTooLong = "lifetime_too_long"
        /// The chain contains no pinned key, or does not lead to a pinned certificate.
        case pinMismatch = "pin_mismatch"
        /// The mode needs pins, and the policy has none (S20).
        case noPins = "no_pins"
        /// The server's certificate is self-signed and not trusted.
        case selfSigned = "self_signed"
        /// The chain does not lead to a trusted CA.
        case untrustedRoot = "untrusted_root"
        /// Any other fault.
        case other
    }

    /// The code.
    public let code: Code
    /// The position of the certificate in the built chain; 0 is the server's own.
    public let depth: Int
    /// The description for people.
    public let words: String

    /// Creates a fault.
    public init(_ code: Code, depth: Int = 0, words: String) {
        self.code = code
        self.depth = depth
        self.words = words
    }

    /// Creates a fault from OpenSSL's code (`X509_V_ERR_…`).
    init(problem: Int32, depth: Int32) {
        code = Code(problem: problem)
        self.depth = Int(depth)
        words = unsafe String(cString: reachd_tls_problem_words(problem))
    }
}

extension TrustFault.Code {
    /// Creates a code from OpenSSL's (`X509_V_ERR_…`).
    init(problem: Int32) {
        switch reachd_tls_problem(rawValue: UInt32(bitPattern: problem)) {
        case reachd_tls_problem_expired: self = .expired
        case reachd_tls_problem_not_yet_valid: self = .notYetValid
        case reachd_tls_problem_self_signed: self = .selfSigned
        case reachd_tls_problem_no_issuer, reachd_tls_problem_self_signed_in_chain,
            reachd_tls_problem_no_local_issuer, reachd_tls_problem_leaf_signature, reachd_tls_problem_untrusted:
            self = .untrustedRoot
        case reachd_tls_problem_signature: self = .badSignature
        case reachd_tls_problem_no_authority, reachd_tls_problem_no_certificate_signing: self = .notAnAuthority
        case reachd_tls_problem_chain_too_long, reachd_tls_problem_path_length: self = .pathTooLong
        case reachd_tls_problem_critical_extension: self = .criticalExtension
        case reachd_tls_problem_not_permitted, reachd_tls_problem_excluded, reachd_tls_problem_subtree_bounds,
            reachd_tls_problem_constraint_type, reachd_tls_problem_constraint_syntax, reachd_tls_problem_name_syntax:
            self = .nameConstraint
        default: self = .other
        }
    }

    fileprivate var weight: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
}

extension TrustFault: Comparable {
    /// Orders faults by weight, then by depth.
    public static func < (left: TrustFault, right: TrustFault) -> Bool {
        (left.code.weight, left.depth, left.words) < (right.code.weight, right.depth, right.words)
    }
}
