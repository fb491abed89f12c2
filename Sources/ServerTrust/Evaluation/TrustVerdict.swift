// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A policy's verdict on a server's certificates, and the reasons.
public struct TrustVerdict: Sendable, Hashable {
    /// Whether the server is accepted.
    public let isAccepted: Bool
    /// The row of the truth table that decided.
    public let row: TruthTable
    /// The facts that the decision is based on.
    public let predicates: TrustPredicates
    /// The faults that caused the rejection, by weight; empty when the server is accepted. At most 16.
    public let faults: [TrustFault]
    /// The faults that this policy tolerates, by weight; at most 16.
    public let tolerated: [TrustFault]
    /// The warnings, which do not affect the decision.
    public let warnings: [TrustWarning]
    /// The chain as the server sent it; at most the first 10 certificates.
    public let sentChain: [Certificate]
    /// The number of certificates that the server sent.
    public let sentCount: Int
    /// The chain that was built from it, from the server's own certificate to the anchor. Without an anchor it ends
    /// with the last certificate that may have signed the one before (S14). For pinned certificates it is the chain to
    /// the pin.
    public let builtChain: [Certificate]
    /// The expiry dates.
    public let expiry: TrustExpiry
    /// The time of evaluation, in seconds since 1970.
    public internal(set) var checkedAt: Int64
    /// The period in which the verdict is valid, in seconds since 1970.
    let validity: Range<Int64>

    /// Creates a verdict from its parts; it is valid at ``checkedAt`` only.
    public init(
        isAccepted: Bool,
        row: TruthTable = TruthTable(.default),
        predicates: TrustPredicates,
        faults: [TrustFault] = [],
        tolerated: [TrustFault] = [],
        warnings: [TrustWarning] = [],
        sentChain: [Certificate] = [],
        sentCount: Int? = nil,
        builtChain: [Certificate] = [],
        expiry: TrustExpiry = TrustExpiry(),
        checkedAt: Int64
    ) {
        self.init(
            isAccepted: isAccepted,
            row: row,
            predicates: predicates,
            faults: faults,
            tolerated: tolerated,
            warnings: warnings,
            sentChain: sentChain,
            sentCount: sentCount ?? sentChain.count,
            builtChain: builtChain,
            expiry: expiry,
            checkedAt: checkedAt,
            validity: checkedAt..<checkedAt
        )
    }

    init(
        isAccepted: Bool,
        row: TruthTable,
        predicates: TrustPredicates,
        faults: [TrustFault],
        tolerated: [TrustFault],
        warnings: [TrustWarning],
        sentChain: [Certificate],
        sentCount: Int,
        builtChain: [Certificate],
        expiry: TrustExpiry,
        checkedAt: Int64,
        validity: Range<Int64>
    ) {
        self.isAccepted = isAccepted
        self.row = row
        self.predicates = predicates
        self.faults = faults
        self.tolerated = tolerated
        self.warnings = warnings
        self.sentChain = sentChain
        self.sentCount = sentCount
        self.builtChain = builtChain
        self.expiry = expiry
        self.checkedAt = checkedAt
        self.validity = validity
    }

    /// The weightiest fault that caused the rejection; nil when the server is accepted.
    public var firstFault: TrustFault? { faults.first }

    /// All faults, decisive and tolerated, by weight.
    public var allFaults: [TrustFault] { (faults + tolerated).sorted() }
}

/// The expiry dates of certificates and pins, in seconds since 1970; nil where there is none or it cannot be read.
public struct TrustExpiry: Sendable, Hashable {
    /// The server's own certificate.
    public let leaf: Int64?
    /// The earliest of all certificates that the server sent, unneeded ones included.
    public let earliestSent: Int64?
    /// The earliest of the chain to the anchor; nil unless that is valid.
    public let verifiedChain: Int64?
    /// The pins (``PinSet/expiry(in:)``).
    public let pins: Int64?

    /// Creates the dates from their parts.
    public init(leaf: Int64? = nil, earliestSent: Int64? = nil, verifiedChain: Int64? = nil, pins: Int64? = nil) {
        self.leaf = leaf
        self.earliestSent = earliestSent
        self.verifiedChain = verifiedChain
        self.pins = pins
    }

    /// The end of trust in the server: the expiry of the verified chain, otherwise that of the server's certificate.
    public var effective: Int64? { verifiedChain ?? leaf }
}

/// A warning about a verdict; it does not affect the decision.
public enum TrustWarning: String, Sendable, Hashable, CaseIterable {
    /// ``TrustCompatibility/strict`` and ``TrustCompatibility/afnetworking`` decide differently here (S17).
    case compatibilityDiffers = "compatibility_differs"
    /// No pin matches, and the policy only reports pins.
    case pinMismatchReported = "pin_mismatch_reported"
    /// Every pin is in the chain: no backup pin remains for a key replacement (RFC 7469, section 4.3).
    case noBackupPin = "no_backup_pin"
    /// The policy has pins but its mode ignores them (T2, T4, T6, T8).
    case pinsUnused = "pins_unused"
    /// The pins have expired.
    case pinsExpired = "pins_expired"
    /// The certificate matches the domain by its common name only.
    case commonNameUsed = "common_name_used"

    /// The description for people.
    public var words: String {
        switch self {
        case .compatibilityDiffers: "the compatibility modes strict and afnetworking decide differently"
        case .pinMismatchReported: "no pin matches; the policy only reports this"
        case .noBackupPin: "every pin is in use; add a backup pin"
        case .pinsUnused: "the policy has pins, but its mode ignores them"
        case .pinsExpired: "the pins have expired"
        case .commonNameUsed: "only the certificate's common name matches, which most clients ignore"
        }
    }
}
