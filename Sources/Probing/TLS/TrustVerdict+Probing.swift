// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import ServerTrust

extension TrustVerdict {
    /// The fault that ends a run with these certificates; nil when they are accepted.
    var probeFault: ProbeFault? {
        guard !isAccepted else { return nil }
        guard let first = firstFault else { return ProbeFault(reason: .tlsUntrusted, detail: "not trusted") }
        var detail = faults.prefix(3).map(words).joined(separator: ", ")
        if first.code != .hostnameMismatch, let subject = sentChain.first?.subject {
            detail += "; the server's certificate is \(subject.prefix(120))"
        }
        if first.code == .wrongPurpose, first.depth == 0, let leaf = sentChain.first, leaf.subject == leaf.issuer {
            detail += ", an authority's own, which tls.purpose: any accepts"
        }
        return ProbeFault(reason: first.code.reason, detail: detail)
    }

    /// A fault with the certificate that has it.
    private func words(_ fault: TrustFault) -> String {
        if fault.code == .untrustedRoot, let last = builtChain.last {
            return "signed by \(last.issuer.prefix(120)), which is not trusted"
        }
        guard fault.depth > 0 else { return fault.words }
        let subject = builtChain.indices.contains(fault.depth) ? ", \(builtChain[fault.depth].subject.prefix(120))" : ""
        return "\(fault.words) (certificate \(fault.depth) of the chain\(subject))"
    }

    /// OpenSSL's code of the first fault, from which it derives the alert to the server; 0 for none.
    var alertCode: Int32 {
        guard !isAccepted else { return 0 }
        let problem =
            switch firstFault?.code ?? .other {
            case .expired: reachd_tls_problem_expired
            case .notYetValid: reachd_tls_problem_not_yet_valid
            case .hostnameMismatch: reachd_tls_problem_host_mismatch
            case .badSignature: reachd_tls_problem_signature
            case .notAnAuthority: reachd_tls_problem_no_authority
            case .pathTooLong: reachd_tls_problem_path_length
            case .nameConstraint: reachd_tls_problem_not_permitted
            case .criticalExtension: reachd_tls_problem_critical_extension
            case .wrongPurpose: reachd_tls_problem_purpose
            case .weakKey: reachd_tls_problem_weak_key
            case .weakSignature: reachd_tls_problem_weak_digest
            case .selfSigned: reachd_tls_problem_self_signed
            case .untrustedRoot: reachd_tls_problem_no_local_issuer
            case .nameCheckNeedsPins, .lifetimeTooLong, .pinMismatch, .noPins, .other: reachd_tls_problem_application
            }
        return Int32(problem.rawValue)
    }
}

extension TrustFault.Code {
    /// The reason of a run that ends with this fault.
    var reason: ProbeReason {
        switch self {
        case .expired: .tlsExpired
        case .notYetValid: .tlsNotYetValid
        case .hostnameMismatch: .tlsHostnameMismatch
        case .badSignature: .tlsBadSignature
        case .notAnAuthority: .tlsNotAnAuthority
        case .pathTooLong: .tlsPathTooLong
        case .nameConstraint: .tlsNameConstraint
        case .criticalExtension: .tlsCriticalExtension
        case .wrongPurpose: .tlsWrongPurpose
        case .weakKey: .tlsWeakKey
        case .weakSignature: .tlsWeakSignature
        case .lifetimeTooLong: .tlsLifetimeTooLong
        case .pinMismatch, .noPins: .tlsPinMismatch
        case .selfSigned: .tlsSelfSigned
        case .untrustedRoot: .tlsUntrustedRoot
        case .nameCheckNeedsPins, .other: .tlsUntrusted
        }
    }
}

extension ProbeFault {
    /// Creates a fault for an unusable file or setting of a trust policy.
    init(_ error: TrustError) {
        self.init(reason: error.code == .outOfMemory ? .outOfMemory : .tlsFilesUnreadable, detail: error.message)
    }

    /// Calls the body, and converts its error.
    static func told<Value>(_ body: () throws(TrustError) -> Value) throws(ProbeFault) -> Value {
        do throws(TrustError) {
            return try body()
        } catch {
            throw ProbeFault(error)
        }
    }
}
