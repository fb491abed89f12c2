// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL

/// Something that is wrong with a server's certificates.
public struct TrustFault: Sendable, Hashable {
    /// The stable codes, the weightiest first: what names the cause more closely comes before what may follow from it.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The policy contradicts itself (S7).
        case nameCheckNeedsPins = "name_check_needs_pins"
        /// A certificate is not valid any more.
        case expired
        /// A certificate is not valid yet.
        case notYetValid = "not_yet_valid"
        /// The server's certificate is for other names.
        case hostnameMismatch = "hostname_mismatch"
        /// A signature does not fit the key that should have made it.
        case badSignature = "bad_signature"
        /// A certificate was signed by one that may sign none.
        case notAnAuthority = "not_an_authority"
        /// There are more authorities in the chain than one of them allows, or than we follow.
        case pathTooLong = "path_too_long"
        /// An authority may not sign for such names, or limits them in a way that we do not know.
        case nameConstraint = "name_constraint"
        /// A certificate has a critical extension that we do not know.
        case criticalExtension = "critical_extension"
        /// A certificate is for another purpose than a TLS server's.
        case wrongPurpose = "wrong_purpose"
        /// A key is too short, or of a kind that we do not know.
        case weakKey = "weak_key"
        /// A signature is of a kind that can be forged.
        case weakSignature = "weak_signature"
        /// A certificate is valid for longer than it may be.
        case lifetimeTooLong = "lifetime_too_long"
        /// Nothing that is pinned is in the chain.
        case pinMismatch = "pin_mismatch"
        /// Pins are asked for, and there is none (S20).
        case noPins = "no_pins"
        /// The server's certificate is signed with its own key and not trusted.
        case selfSigned = "self_signed"
        /// The chain leads to no authority that is trusted.
        case untrustedRoot = "untrusted_root"
        /// Anything else.
        case other
    }

    /// Which of them.
    public let code: Code
    /// Which certificate of the built chain, 0 for the server's own.
    public let depth: Int
    /// What is wrong, for people.
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
    /// What an OpenSSL code (`X509_V_ERR_…`) means.
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
    /// By weight, then by place.
    public static func < (left: TrustFault, right: TrustFault) -> Bool {
        (left.code.weight, left.depth, left.words) < (right.code.weight, right.depth, right.words)
    }
}
