// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Which of the original's quirks an activity indicator keeps; none of them unless asked (contract A23, A26).
public struct ActivityCompatibility: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// Creates a choice from raw bits; unknown bits are kept and mean nothing.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The end of the completion delay hides without a look at the count (A23).
    ///
    /// An activity that began just before, and whose update is still queued, then has to wait for a whole activation
    /// delay. Without this quirk the indicator stays visible.
    public static let hidesWithoutCounting = Self(rawValue: 1)

    /// A begin counts up and an end counts down, whoever's they are (A26).
    ///
    /// A task that is suspended and then cancelled counts down twice, and one that completes without ever being resumed
    /// takes another's place. Without this quirk identities are counted: beginning and ending are idempotent for each.
    public static let countsWithoutIdentity = Self(rawValue: 2)

    /// All quirks: what AFNetworking 4.0.1 does.
    public static let afnetworking: Self = [.hidesWithoutCounting, .countsWithoutIdentity]
}
