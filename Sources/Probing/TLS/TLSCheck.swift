// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import ServerTrust

/// The verification of one handshake: judges the chain while the handshake waits, so that nothing is said to a server
/// that is not trusted (S28). On the loop's thread.
///
/// OpenSSL's sessions point to it; whoever uses it keeps it until they are gone.
@safe final class TLSCheck {
    let context: TLSContext
    let name: TLSPeerName
    private let trust: TrustEvaluator
    private let time: Int64
    /// What the server showed, and what is to be said of it.
    private var shown: (chain: CertificateChain, verdict: TrustVerdict)?

    /// - Parameter time: When, in seconds since 1970.
    init(_ context: TLSContext, _ trust: TrustEvaluator, for name: TLSPeerName, at time: Int64) {
        self.context = context
        self.trust = trust
        self.name = name
        self.time = time
    }

    /// What OpenSSL hands back to ``tlsCheckCalled``; not retained.
    var argument: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    /// Why the handshake was refused.
    var fault: ProbeFault? { shown?.verdict.probeFault }

    /// What the handshake came to, also when it failed; nil when the server showed no chain.
    func report(of session: OpaquePointer) -> TLSReport? {
        guard let shown else { return nil }
        let agreement = unsafe TLSAgreement(of: session, shown.chain)
        return TLSReport(
            version: agreement.version,
            cipher: agreement.cipher,
            applicationProtocol: agreement.applicationProtocol,
            trust: shown.verdict,
            staple: agreement.staple
        )
    }

    /// - Returns: OpenSSL's code of the problem that ends the handshake, 0 for none.
    fileprivate func judge(_ list: OpaquePointer) -> Int32 {
        guard let chain = try? unsafe CertificateChain(copying: list) else {
            return Int32(reachd_tls_problem_no_memory.rawValue)
        }
        let verdict = trust.evaluate(chain, domain: name.domain, at: time)
        shown = (chain, verdict)
        return verdict.alertCode
    }
}

/// Called by OpenSSL in a handshake, on its thread.
func tlsCheckCalled(_ argument: UnsafeMutableRawPointer, _ chain: OpaquePointer) -> Int32 {
    unsafe Unmanaged<TLSCheck>.fromOpaque(argument).takeUnretainedValue().judge(chain)
}
