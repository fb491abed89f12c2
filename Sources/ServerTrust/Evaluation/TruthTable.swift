// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// AFSecurityPolicy's decision (S7–S12) as a truth table, with one row for each policy (T1–T24).
///
/// D means that a domain is given; X, H, K and A are those of ``TrustPredicates``.
///
/// | rows | mode | invalid allowed | name checked | accepted when |
/// |---|---|---|---|---|
/// | T1–T2 | none | no | yes | X, and H if D |
/// | T3–T4 | none | no | no | X |
/// | T5–T6 | none | yes | yes | not D |
/// | T7–T8 | none | yes | no | always |
/// | T10 | public key | no | yes | X, K, and H if D |
/// | T12 | public key | no | no | X and K |
/// | T14 | public key | yes | yes | K, and H if D (not in ``TrustCompatibility/afnetworking``: S17) |
/// | T16 | public key | yes | no | K |
/// | T18 | certificate | no | yes | X, A, and H if D |
/// | T20 | certificate | no | no | X and A |
/// | T22 | certificate | yes | yes | A, which includes H if D |
/// | T24 | certificate | yes | no | A |
///
/// The other rows from T9 on (odd numbers) are the same modes without pins; they never accept.
public struct TruthTable: Sendable, Hashable {
    private let mode: PinningMode
    private let allowsInvalid: Bool
    private let validatesName: Bool
    private let hasPins: Bool

    /// Creates the row of a policy.
    public init(_ policy: SecurityPolicy) {
        // Pins that are only reported do not affect the decision.
        mode = policy.reportsPinsOnly ? .none : policy.pinningMode
        allowsInvalid = policy.allowInvalidCertificates
        validatesName = policy.validatesDomainName
        hasPins = !policy.pins.isEmpty
    }

    /// The row, 1 to 24.
    public var number: Int {
        1 + mode.rawValue * 8 + (allowsInvalid ? 4 : 0) + (validatesName ? 0 : 2) + (hasPins ? 1 : 0)
    }

    /// Whether the policy contradicts itself for a domain (S7): when invalid certificates are allowed, names can only
    /// be checked with pins.
    public func needsPins(hasDomain: Bool) -> Bool {
        hasDomain && allowsInvalid && validatesName && (mode == .none || !hasPins)
    }

    /// Whether the server is accepted.
    public func accepts(_ predicates: TrustPredicates, compatibility: TrustCompatibility) -> Bool {
        guard mode == .none || hasPins, !needsPins(hasDomain: predicates.matchesDomain != nil) else { return false }
        let isNamed = !validatesName || predicates.matchesDomain != false
        let isValid = allowsInvalid || predicates.isValid && isNamed
        switch mode {
        case .none: return isValid
        case .publicKey:
            guard isNamed || compatibility == .afnetworking else { return false }
            return isValid && predicates.hasPinnedKey == true
        case .certificate: return isValid && predicates.isValidAgainstPins == true
        }
    }
}

extension TruthTable: CustomStringConvertible {
    /// `T14`.
    public var description: String { "T\(number)" }
}

/// The facts that a verdict is based on, by their letters in the truth table. Those that the mode does not use are nil.
public struct TrustPredicates: Sendable, Hashable {
    /// X: the chain leads to an anchor and is valid under the policy, names aside.
    public let isValid: Bool
    /// H: the server's certificate is valid for the domain; nil without a domain.
    public let matchesDomain: Bool?
    /// K: a pinned key is in the built chain; nil unless keys are pinned.
    public let hasPinnedKey: Bool?
    /// A: the chain is valid with the pins as its only anchors, including the name if it is checked; nil unless
    /// certificates are pinned.
    public let isValidAgainstPins: Bool?

    /// Creates predicates.
    public init(isValid: Bool, matchesDomain: Bool?, hasPinnedKey: Bool? = nil, isValidAgainstPins: Bool? = nil) {
        self.isValid = isValid
        self.matchesDomain = matchesDomain
        self.hasPinnedKey = hasPinnedKey
        self.isValidAgainstPins = isValidAgainstPins
    }
}
