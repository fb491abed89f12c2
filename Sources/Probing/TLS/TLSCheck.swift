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
    private var verdict: TrustVerdict?

    /// - Parameter time: When, in seconds since 1970.
    init(_ context: TLSContext, _ trust: TrustEvaluator, for name: TLSPeerName, at time: Int64) {
        self.context = context
        self.trust = trust
        self.name = name
        self.time = time
    }

    /// What OpenSSL hands back to ``tlsCheckCalled``; not retained.
    var argument: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    /// Makes another library's context (`SSL_CTX *`), such as the one that libcurl hands to
    /// `CURLOPT_SSL_CTX_FUNCTION`, work by our settings: versions, client certificate, and this check in place of
    /// OpenSSL's verification, the name included. With libcurl set `CURLOPT_SSL_VERIFYPEER` to 1, whatever the settings
    /// say, so that the check is obeyed, `CURLOPT_SSL_VERIFYHOST` to 0, and `CURLOPT_CAINFO` and `CURLOPT_CAPATH` to
    /// NULL, so that it loads no authorities of its own (20 ms a connection).
    func lend(to other: OpaquePointer) {
        unsafe reachd_tls_context_lend(context.session, other, tlsCheckCalled, argument)
    }

    /// Why the handshake was refused.
    var fault: ProbeFault? { verdict?.probeFault }

    /// What the handshake came to, also when it failed; nil when the server showed no chain.
    func report(of session: OpaquePointer) -> TLSReport? {
        guard let verdict else { return nil }
        let agreement = unsafe TLSAgreement(of: session)
        return TLSReport(
            version: agreement.version,
            cipher: agreement.cipher,
            applicationProtocol: agreement.applicationProtocol,
            trust: verdict,
            staple: agreement.staple
        )
    }

    /// - Returns: OpenSSL's code of the problem that ends the handshake, 0 for none.
    fileprivate func judge(_ list: OpaquePointer) -> Int32 {
        guard let chain = try? unsafe CertificateChain(copying: list) else {
            return Int32(reachd_tls_problem_no_memory.rawValue)
        }
        let verdict = trust.evaluate(chain, domain: name.domain, at: time)
        self.verdict = verdict
        return verdict.alertCode
    }
}

/// Called by OpenSSL in a handshake, on its thread.
func tlsCheckCalled(_ argument: UnsafeMutableRawPointer, _ chain: OpaquePointer) -> Int32 {
    unsafe Unmanaged<TLSCheck>.fromOpaque(argument).takeUnretainedValue().judge(chain)
}
