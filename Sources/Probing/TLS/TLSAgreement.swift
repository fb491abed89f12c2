// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import LinuxIO
import ServerTrust

/// What the two sides of a session agreed on, and what the server added by itself. OpenSSL's session is only read.
struct TLSAgreement {
    let version: String
    let cipher: String?
    let applicationProtocol: String?
    let staple: StapledResponse?

    /// - Parameters:
    ///   - session: An `SSL *`, whoever made it.
    ///   - chain: What the server showed in it.
    init(of session: OpaquePointer, _ chain: CertificateChain) {
        unsafe version = String(cString: reachd_tls_version(session))
        unsafe cipher = reachd_tls_cipher(session).map { unsafe String(cString: $0) }
        var count = 0
        let start = unsafe reachd_tls_alpn(session, &count)
        // At most 255 bytes, and by our leave one of those that we offered.
        unsafe applicationProtocol = start.map {
            unsafe PrintableBytes.escape(UnsafeBufferPointer(start: $0, count: count), limit: 255)
        }
        staple = unsafe StapledResponse(reachd_tls_read_staple(session, chain.certificates))
    }
}

extension StapledResponse {
    /// Creates a response from OpenSSL's reading; nil when there was none.
    init?(_ staple: reachd_tls_staple) {
        guard staple.is_there != 0 else { return nil }
        let statuses: [Int32: Status] = [0: .good, 1: .revoked, 2: .unknown]
        func known(_ time: Int64) -> Int64? { time == .min ? nil : time }
        self.init(
            status: staple.response == 0 ? statuses[staple.status] ?? .unusable : .unusable,
            thisUpdate: known(staple.this_update),
            nextUpdate: known(staple.next_update),
            revokedAt: known(staple.revoked)
        )
    }
}
