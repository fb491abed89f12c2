// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a verdict rests on: the letters of the truth table. Those that the mode does not ask for are nil.
public struct TrustPredicates: Sendable, Hashable {
    /// X: the chain leads to an anchor and is valid under the policy, names aside.
    public let isValid: Bool
    /// H: the server's certificate is for the domain; nil without a domain.
    public let matchesDomain: Bool?
    /// K: a pinned key is in the built chain; nil unless keys are pinned.
    public let hasPinnedKey: Bool?
    /// A: the chain is valid with the pins as its only anchors, the name included where it counts; nil unless
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
