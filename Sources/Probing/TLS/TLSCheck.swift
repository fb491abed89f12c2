// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL

/// The verification of one handshake: judges the chain while the handshake waits, so that nothing is said to a server
/// that is not trusted. On the loop's thread.
///
/// OpenSSL's sessions point to it; whoever uses it keeps it until they are gone.
@safe final class TLSCheck {
    let context: TLSContext
    let name: TLSPeerName
    private let skips: Bool
    private let time: Int64
    private var verdict: TLSVerdict?

    /// - Parameter time: When, in seconds since 1970.
    init(_ context: TLSContext, for name: TLSPeerName, skips: Bool, at time: Int64) {
        self.context = context
        self.name = name
        self.skips = skips
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

    /// Why the handshake was refused, or would have been.
    var fault: ProbeFault? { verdict?.fault(for: name) }

    /// What the handshake came to, also when it failed; nil when the server showed no chain.
    func report(of session: OpaquePointer) -> TLSReport? {
        guard var report = verdict?.report else { return nil }
        let agreement = unsafe TLSReportReader.agreement(of: session, at: time)
        report.version = agreement.version
        report.cipher = agreement.cipher
        report.applicationProtocol = agreement.applicationProtocol
        report.checkedAt = time
        return report
    }

    /// - Returns: OpenSSL's code of the problem that ends the handshake, 0 for none.
    fileprivate func judge(_ chain: OpaquePointer) -> Int32 {
        let verdict = unsafe context.verdict(on: chain, for: name, at: time)
        self.verdict = verdict
        return skips ? 0 : verdict.code
    }
}

/// Called by OpenSSL in a handshake, on its thread.
func tlsCheckCalled(_ argument: UnsafeMutableRawPointer, _ chain: OpaquePointer) -> Int32 {
    unsafe Unmanaged<TLSCheck>.fromOpaque(argument).takeUnretainedValue().judge(chain)
}
