// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a policy says of a server's certificates, and why.
public struct TrustVerdict: Sendable, Hashable {
    /// Whether the server is accepted.
    public let isAccepted: Bool
    /// The row of the truth table that decided.
    public let row: TruthTable
    /// What that rests on.
    public let predicates: TrustPredicates
    /// Why the server is rejected, the weightiest first; none when it is accepted. At most 16.
    public let faults: [TrustFault]
    /// What else is wrong and decides nothing under this policy, the weightiest first; at most 16.
    public let tolerated: [TrustFault]
    /// What somebody should look at.
    public let warnings: [TrustWarning]
    /// What the server sent, in its order; at most 10.
    public let sentChain: [Certificate]
    /// How many it sent.
    public let sentCount: Int
    /// What was built of it, the server's own certificate first and the anchor last; as far as each may have signed the
    /// one before when no anchor was reached (S14). When certificates are pinned it is the chain to the pin.
    public let builtChain: [Certificate]
    /// When things end.
    public let expiry: TrustExpiry
    /// The time that was asked for, in seconds since 1970.
    public internal(set) var checkedAt: Int64
    /// When the same holds, in seconds since 1970.
    let validity: Range<Int64>

    /// Creates a verdict from its parts; it holds at no other time than ``checkedAt``.
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

    /// Why the server is rejected; nil when it is not.
    public var firstFault: TrustFault? { faults.first }

    /// Everything that is wrong, whether it decides or not, the weightiest first.
    public var allFaults: [TrustFault] { (faults + tolerated).sorted() }
}

/// When certificates and pins end, each in seconds since 1970; nil where there is none or it cannot be read.
public struct TrustExpiry: Sendable, Hashable {
    /// The server's own certificate.
    public let leaf: Int64?
    /// The first of all that the server sent; it may send some that nobody needs.
    public let earliestSent: Int64?
    /// The first of the chain to the anchor; nil unless that is valid.
    public let verifiedChain: Int64?
    /// The pins (``PinSet/expiry(in:)``).
    public let pins: Int64?

    /// Creates it from its parts.
    public init(leaf: Int64? = nil, earliestSent: Int64? = nil, verifiedChain: Int64? = nil, pins: Int64? = nil) {
        self.leaf = leaf
        self.earliestSent = earliestSent
        self.verifiedChain = verifiedChain
        self.pins = pins
    }

    /// When the server will not be trusted any more as it is: the end of the verified chain, or of the leaf of a server
    /// that is not trusted.
    public var effective: Int64? { verifiedChain ?? leaf }
}

/// Something about a verdict that somebody should look at, though it decides nothing.
public enum TrustWarning: String, Sendable, Hashable, CaseIterable {
    /// ``TrustCompatibility/strict`` and ``TrustCompatibility/afnetworking`` decide differently here (S17).
    case compatibilityDiffers = "compatibility_differs"
    /// No pin fits, and pins are only reported.
    case pinMismatchReported = "pin_mismatch_reported"
    /// Every pin is in the chain: none is kept back for when its keys have to be replaced (RFC 7469, section 4.3).
    case noBackupPin = "no_backup_pin"
    /// The policy has pins and the mode does not use them (T2, T4, T6, T8).
    case pinsUnused = "pins_unused"
    /// The pins are past their date.
    case pinsExpired = "pins_expired"
    /// The certificate is for the domain by its common name alone.
    case commonNameUsed = "common_name_used"

    /// What it means, for people.
    public var words: String {
        switch self {
        case .compatibilityDiffers: "strict and afnetworking compatibility decide differently here"
        case .pinMismatchReported: "no pin fits, which is only reported"
        case .noBackupPin: "every pin is in use: there is none to fall back on"
        case .pinsUnused: "there are pins, and the mode does not use them"
        case .pinsExpired: "the pins are past their date"
        case .commonNameUsed: "the name is the certificate's common name, which most clients do not look at"
        }
    }
}
