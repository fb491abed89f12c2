// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What an observer receives; combinable, and 0 means bare notifications (contract K1).
///
/// The raw values are those of `NSKeyValueObservingOptions`, the names those of the HTTP contract.
public struct ObservationOptions: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt

    /// Creates options from raw bits; unknown bits are kept and mean nothing.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Changes carry the new value, read when the change is done (K5).
    public static let new = Self(rawValue: 1)
    /// Changes carry the old value, read before the change is made (K5).
    public static let old = Self(rawValue: 2)
    /// One notification at once, before registration returns (K3).
    public static let initial = Self(rawValue: 4)
    /// One more notification before each change (K4).
    public static let prior = Self(rawValue: 8)

    /// The option with this name in the HTTP contract: `new`, `old`, `initial`, `prior`.
    ///
    /// - Returns: nil for any other name.
    public init?(name: some StringProtocol) {
        guard let option = Self.table.first(where: { $0.name == name })?.option else { return nil }
        self = option
    }

    /// The names of the options that are set, in bit order.
    public var names: [String] {
        Self.table.filter { contains($0.option) }.map(\.name)
    }

    private static let table: [(option: ObservationOptions, name: String)] = [
        (.new, "new"), (.old, "old"), (.initial, "initial"), (.prior, "prior"),
    ]
}
