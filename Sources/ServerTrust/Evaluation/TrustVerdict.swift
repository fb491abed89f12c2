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
