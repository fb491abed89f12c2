// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust

/// Whether certificates and pins last as long as they have to. Pure.
enum ExpiryCheck {
    /// What ends too soon, the first of it; nil when nothing does.
    static func fault(of verdict: TrustVerdict, _ bounds: ExpiryBounds) -> ProbeFault? {
        let expiry = verdict.expiry
        let checks: [(bound: Int32?, end: Int64?, reason: ProbeReason, what: String)] = [
            (bounds.certificate, expiry.effective, .certificateExpiresSoon, "a certificate"),
            (bounds.leaf, expiry.leaf, .certificateExpiresSoon, "the server's certificate"),
            (
                bounds.verifiedChain, expiry.verifiedChain, .certificateExpiresSoon,
                "a certificate of the verified chain"
            ),
            (bounds.earliestSent, expiry.earliestSent, .certificateExpiresSoon, "a certificate that the server sends"),
            (bounds.pins, expiry.pins, .pinsExpireSoon, "the use of the pins"),
        ]
        for check in checks {
            guard let bound = check.bound, let end = check.end else { continue }
            // The dates are a stranger's: 9999 is the last year there is, but who knows.
            let (left, overflow) = end.subtractingReportingOverflow(verdict.checkedAt)
            guard !overflow, left < Int64(bound) * 86_400 else { continue }
            let words = left < 0 ? "expired \(time(-left)) ago" : "expires in \(time(left))"
            return ProbeFault(reason: check.reason, detail: "\(check.what) \(words)")
        }
        return nil
    }

    private static func time(_ seconds: Int64) -> String {
        let hours = seconds / 3_600
        return hours < 48 ? "\(hours) hours" : "\(hours / 24) days"
    }
}
