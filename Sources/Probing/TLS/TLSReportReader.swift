// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import Glibc

/// Reads what a TLS session came to.
public enum TLSReportReader {
    /// Reads any session of OpenSSL's after its handshake, whoever made it: with libcurl it is what
    /// `CURLINFO_TLS_SSL_PTR` gives while the transfer is under way. The problems are what OpenSSL's own verification
    /// ended with, the first at most.
    ///
    /// - Parameters:
    ///   - ssl: An `SSL *`; it is only read.
    ///   - time: When the chain was looked at, in seconds since 1970.
    public static func read(ssl: OpaquePointer, at time: Int64 = now()) -> TLSReport {
        var report = unsafe agreement(of: ssl, at: time)
        if let chain = unsafe reachd_tls_peer_chain(ssl) {
            report.chain = unsafe CertificateReader.read(chain: chain)
            report.sentCertificates = unsafe reachd_tls_chain_count(chain)
            report.chainExpiry = unsafe CertificateReader.expiry(ofChain: chain)
        }
        let result = unsafe reachd_tls_verify_result(ssl)
        if result != 0 {
            report.problems = [TLSProblem(code: result, depth: 0)]
        } else if let verified = unsafe reachd_tls_verified_chain(ssl) {
            report.verifiedChainExpiry = unsafe CertificateReader.expiry(ofChain: verified)
        }
        return report
    }

    /// The present moment by the machine's clock, in seconds since 1970.
    public static func now() -> Int64 { Int64(Glibc.time(nil)) }

    /// Version, cipher suite and protocol; without a chain.
    static func agreement(of ssl: OpaquePointer, at time: Int64) -> TLSReport {
        var count = 0
        let start = unsafe reachd_tls_alpn(ssl, &count)
        // At most 255 bytes, and by our leave one of those that we offered.
        let chosen = unsafe start.map {
            unsafe PrintableBytes.escape(UnsafeBufferPointer(start: $0, count: count), limit: 255)
        }
        return unsafe TLSReport(
            version: String(cString: reachd_tls_version(ssl)),
            cipher: reachd_tls_cipher(ssl).map { unsafe String(cString: $0) },
            applicationProtocol: chosen,
            checkedAt: time
        )
    }
}
