// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// How long certificates and pins have to last, in days; what ends sooner makes a run degraded.
package struct ExpiryBounds: Sendable, Hashable {
    /// Everything that the server's trust rests on: the verified chain, or the server's own certificate where there is
    /// none.
    package var certificate: Int32?
    /// The server's own certificate.
    package var leaf: Int32?
    /// Every certificate that the server sends, needed or not.
    package var earliestSent: Int32?
    /// The chain up to the trusted certificate, where there is one.
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
    /// Keys of an expectation about how long certificates and pins last.
    static let fields: [Field] = [
        Field(
            "certificate_days",
            .integer(0...3650),
            synonyms: ["cert_days", "certificate_expiration"],
            "In days: what the server's trust rests on, its verified chain or else its own certificate, lasts as long at "
                + "least, or the target is degraded. No bound when absent, as for the four below."
        ),
        Field("leaf_days", .integer(0...3650), synonyms: ["server_days"], "The same for the server's own certificate."),
        Field(
            "sent_days",
            .integer(0...3650),
            synonyms: ["chain_days", "earliest_days"],
            "The same for every certificate that the server sends, needed or not."
        ),
        Field(
            "verified_chain_days",
            .integer(0...3650),
            synonyms: ["verified_days"],
            "The same for the chain up to the trusted certificate, where there is one."
        ),
        Field("pin_days", .integer(0...3650), synonyms: ["pins_days"], "The same for the pins: see pins_review."),
    ]

    /// Reads the keys of an expectation.
    package init(_ expectation: CheckedObject) {
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
