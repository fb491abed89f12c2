// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL

/// Something that is wrong with a chain of certificates.
public struct TLSProblem: Sendable, Hashable {
    /// The kinds of problems, the weightiest first: what names the cause more closely comes before what may follow from
    /// it.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A certificate is not valid any more.
        case expired
        /// A certificate is not valid yet.
        case notYetValid = "not_yet_valid"
        /// The server's certificate is for other names.
        case nameMismatch = "name_mismatch"
        /// The server's certificate is signed with its own key and not trusted.
        case selfSigned = "self_signed"
        /// The chain does not lead to an authority that is trusted.
        case unknownAuthority = "unknown_authority"
        /// Anything else: a weak key, a signature that does not fit, a certificate for another purpose.
        case other
    }

    /// What kind.
    public var kind: Kind
    /// Which certificate of the chain, 0 for the server's own.
    public var depth: Int
    /// OpenSSL's words.
    public var words: String

    /// Creates a problem from its parts.
    public init(kind: Kind, depth: Int, words: String) {
        self.kind = kind
        self.depth = depth
        self.words = words
    }

    /// Creates a problem from OpenSSL's code (`X509_V_ERR_…`).
    init(code: Int32, depth: Int32) {
        kind = Kind(code: code)
        self.depth = Int(depth)
        words = unsafe String(cString: reachd_tls_problem_words(code))
    }
}

extension TLSProblem.Kind {
    /// The kind that an OpenSSL code (`X509_V_ERR_…`) is of.
    init(code: Int32) {
        switch reachd_tls_problem(rawValue: UInt32(bitPattern: code)) {
        case reachd_tls_problem_expired: self = .expired
        case reachd_tls_problem_not_yet_valid: self = .notYetValid
        case reachd_tls_problem_host_mismatch, reachd_tls_problem_address_mismatch: self = .nameMismatch
        case reachd_tls_problem_self_signed: self = .selfSigned
        case reachd_tls_problem_no_issuer, reachd_tls_problem_self_signed_in_chain,
            reachd_tls_problem_no_local_issuer, reachd_tls_problem_leaf_signature:
            self = .unknownAuthority
        default: self = .other
        }
    }
}

extension TLSProblem: Comparable {
    /// By weight, then by place.
    public static func < (left: TLSProblem, right: TLSProblem) -> Bool {
        (left.kind.weight, left.depth, left.words) < (right.kind.weight, right.depth, right.words)
    }
}

extension TLSProblem.Kind {
    fileprivate var weight: Int {
        switch self {
        case .expired: 0
        case .notYetValid: 1
        case .nameMismatch: 2
        case .selfSigned: 3
        case .unknownAuthority: 4
        case .other: 5
        }
    }
}
