// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema
import ServerTrust

/// The remaining validity that certificates and pins must have, in days; less makes a run degraded.
package struct ExpiryBounds: Sendable, Hashable {
    /// The trust in the server: the verified chain, or the server's own certificate where there is none.
    package var certificate: Int32?
    /// The server's own certificate.
    package var leaf: Int32?
    /// Every certificate that the server sends, including unneeded ones.
    package var earliestSent: Int32?
    /// The chain up to the trust anchor, where there is one.
    package var verifiedChain: Int32?
    /// The pins.
    package var pins: Int32?

    /// Creates bounds.
    package init(
        certificate: Int32? = nil,
        leaf: Int32? = nil,
        earliestSent: Int32? = nil,
        verifiedChain: Int32? = nil,
        pins: Int32? = nil
    ) {
        self.certificate = certificate
        self.leaf = leaf
        self.earliestSent = earliestSent
        self.verifiedChain = verifiedChain
        self.pins = pins
    }
}

extension ExpiryBounds {
    /// The keys of `expect` for the remaining validity of certificates and pins.
    static let fields: [Field] = [
        Field(
            "certificate_days",
            .integer(0...3650),
            synonyms: ["cert_days", "certificate_expiration"],
            "Minimum remaining validity in days of the verified chain, or of the server's certificate without one; "
                + "less makes the target degraded. Default: unlimited, as for the four keys below."
        ),
        Field("leaf_days", .integer(0...3650), synonyms: ["server_days"], "The same for the server's certificate."),
        Field(
            "sent_days",
            .integer(0...3650),
            synonyms: ["chain_days", "earliest_days"],
            "The same for every certificate that the server sends, including unneeded ones."
        ),
        Field(
            "verified_chain_days",
            .integer(0...3650),
            synonyms: ["verified_days"],
            "The same for the chain up to the trust anchor, if there is one."
        ),
        Field("pin_days", .integer(0...3650), synonyms: ["pins_days"], "The same for the pins: see pins_review."),
    ]

    /// Reads the keys of an expectation.
    package init(_ expectation: ValidatedMapping) {
        func days(_ key: String) -> Int32? { expectation.integer(key).flatMap(Int32.init(exactly:)) }
        self.init(
            certificate: days("certificate_days"),
            leaf: days("leaf_days"),
            earliestSent: days("sent_days"),
            verifiedChain: days("verified_chain_days"),
            pins: days("pin_days")
        )
    }
}

/// Checks the remaining validity of certificates and pins. Pure.
enum ExpiryCheck {
    /// Returns the fault of the first bound that is exceeded; nil when none is.
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
            // The dates are untrusted: an X.509 date ends at 9999, but do not rely on it.
            let (left, overflow) = end.subtractingReportingOverflow(verdict.checkedAt)
            guard !overflow, left < Int64(bound) * 86_400 else { continue }
            let words = left < 0 ? "expired \(time(left)) ago" : "expires in \(time(left))"
            return ProbeFault(reason: check.reason, detail: "\(check.what) \(words)")
        }
        return nil
    }

    private static func time(_ seconds: Int64) -> String {
        let hours = seconds.magnitude / 3_600
        return hours < 48 ? "\(hours) hours" : "\(hours / 24) days"
    }
}
