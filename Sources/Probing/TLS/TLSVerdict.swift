// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import NetworkPaths

/// What is to be said of a server's chain.
struct TLSVerdict {
    /// The report, without what was agreed on.
    let report: TLSReport
    /// OpenSSL's code of the weightiest problem, 0 for none.
    let code: Int32
    /// When the same holds, in seconds since 1970.
    let validity: Range<Int64>
}

extension TLSVerdict {
    private static let problemLimit = 16
    /// What the system trusts may change under a context without a trace, in a directory below.
    private static let longestValidity: Int64 = 3_600

    /// Verifies and reads a chain.
    init(on chain: OpaquePointer, for name: TLSPeerName, at time: Int64, in context: TLSContext) {
        var finding = reachd_tls_finding()
        let found = unsafe Self.verify(chain, name, time, context, &finding)
        let problems = found.map { (problem: TLSProblem(code: $0.code, depth: $0.depth), code: $0.code) }
            .sorted { $0.problem < $1.problem }
        let report = unsafe TLSReport(
            version: "",
            chain: CertificateReader.read(chain: chain),
            sentCertificates: reachd_tls_chain_count(chain),
            problems: problems.prefix(Self.problemLimit).map(\.problem),
            chainExpiry: CertificateReader.expiry(ofChain: chain),
            verifiedChainExpiry: finding.expiry == .max ? nil : finding.expiry,
            checkedAt: time
        )
        let end = time.addingReportingOverflow(Self.longestValidity)
        let from = min(finding.stable_from, time)
        let until = min(finding.stable_until, end.overflow ? .max : end.partialValue)
        self.init(report: report, code: problems.first?.code ?? 0, validity: from..<max(from, until))
    }

    private struct Finding: Hashable {
        let code: Int32
        let depth: Int32
    }

    private static func verify(
        _ chain: OpaquePointer,
        _ name: TLSPeerName,
        _ time: Int64,
        _ context: TLSContext,
        _ finding: inout reachd_tls_finding
    ) -> Set<Finding> {
        var found: Set<Finding> = []
        func verify(_ host: UnsafePointer<CChar>?, _ address: UnsafePointer<UInt8>?, _ size: Int) {
            var expectation = unsafe reachd_tls_expectation(
                store: context.authorities.store,
                host: host,
                address: address,
                address_size: size,
                time: time,
                security_level: context.securityLevel
            )
            unsafe withUnsafeMutablePointer(to: &found) { found in
                _ = unsafe reachd_tls_verify(chain, &expectation, &finding, found) { context, code, depth in
                    guard let found = unsafe context?.assumingMemoryBound(to: Set<Finding>.self) else { return }
                    // A chain has a hundred places and each several checks: more problems than this tell nobody more.
                    guard unsafe found.pointee.count < 64 else { return }
                    unsafe found.pointee.insert(Finding(code: code, depth: depth))
                }
            }
        }
        switch name {
        case .host(let host): unsafe host.withCString { unsafe verify($0, nil, 0) }
        case .address(let address):
            unsafe address.withNetworkBytes { bytes in
                unsafe verify(nil, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count)
            }
        }
        return found
    }

    /// Why the chain is refused; nil for one without a problem.
    func fault(for name: TLSPeerName) -> ProbeFault? {
        guard let first = report.problems.first else { return nil }
        let words = report.problems.prefix(3).map { problem in
            problem.depth == 0 ? problem.words : "\(problem.words) (certificate \(problem.depth) of the chain)"
        }
        var detail = words.joined(separator: ", ")
        if first.kind == .nameMismatch {
            let names = report.chain.first?.names.prefix(3).map { String($0.prefix(80)) } ?? []
            detail = "the certificate is for \(names.isEmpty ? "no name" : names.joined(separator: ", ")), not \(name)"
        } else if let subject = report.chain.first?.subject {
            detail += "; the server's certificate is \(subject.prefix(120))"
        }
        return ProbeFault(reason: first.kind.reason, detail: detail)
    }
}

extension TLSProblem.Kind {
    /// The reason of a run that ends with it.
    var reason: ProbeReason {
        switch self {
        case .expired: .tlsExpired
        case .notYetValid: .tlsNotYetValid
        case .nameMismatch: .tlsNameMismatch
        case .selfSigned: .tlsSelfSigned
        case .unknownAuthority: .tlsUnknownAuthority
        case .other: .tlsUntrusted
        }
    }
}
