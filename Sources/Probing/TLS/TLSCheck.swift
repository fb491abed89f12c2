// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import ServerTrust

/// Verifies the chain during the handshake, so that nothing is sent to a server that is not trusted (S28). On the
/// loop's thread.
///
/// OpenSSL's sessions hold an unretained pointer to it; keep it until they are freed.
@safe final class TLSCheck {
    let context: TLSContext
    let name: TLSPeerName
    private let trust: TrustEvaluator
    private let time: Int64
    /// The server's chain, and the verdict on it.
    private var shown: (chain: CertificateChain, verdict: TrustVerdict)?

    /// - Parameter time: The time in seconds since 1970.
    init(_ context: TLSContext, _ trust: TrustEvaluator, for name: TLSPeerName, at time: Int64) {
        self.context = context
        self.trust = trust
        self.name = name
        self.time = time
    }

    /// The argument that OpenSSL passes to ``tlsCheckCalled``; not retained.
    var argument: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    /// The fault that made the check refuse the handshake.
    var fault: ProbeFault? { shown?.verdict.probeFault }

    /// Returns the report of the handshake, also after a failure; nil when the server sent no chain.
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

    /// - Returns: OpenSSL's error code that ends the handshake; 0 for none.
    fileprivate func judge(_ list: OpaquePointer) -> Int32 {
        guard let chain = try? unsafe CertificateChain(copying: list) else {
            return Int32(reachd_tls_problem_no_memory.rawValue)
        }
        let verdict = trust.evaluate(chain, domain: name.domain, at: time)
        shown = (chain, verdict)
        return verdict.alertCode
    }
}

/// Called by OpenSSL during a handshake, on its thread.
func tlsCheckCalled(_ argument: UnsafeMutableRawPointer, _ chain: OpaquePointer) -> Int32 {
    unsafe Unmanaged<TLSCheck>.fromOpaque(argument).takeUnretainedValue().judge(chain)
}
