// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The keys of a change in its dictionary form (contract K2).
public enum ChangeDictionaryKey: String, Sendable, Hashable, CaseIterable {
    /// The ``ChangeKind``'s raw value, an `Int`; always present.
    case kind
    /// The new value.
    case new
    /// The old value.
    case old
    /// The indexes, a `RangeSet<Int>`.
    case indexes
    /// `true`, present in prior notifications only.
    case notificationIsPrior
}

/// What stands in a change dictionary for a value that is present and nil, as `NSNull` does (contract K2).
public struct NullValue: Sendable, Hashable {
    /// Creates the null value.
    public init() {}
}

extension Change {
    /// The change as a dictionary with the original's keys; values that were not asked for are absent (contract K2).
    public var dictionary: [ChangeDictionaryKey: any Sendable] {
        var dictionary: [ChangeDictionaryKey: any Sendable] = [.kind: kind.rawValue]
        dictionary[.old] = old.map(Self.boxed)
        dictionary[.new] = new.map(Self.boxed)
        dictionary[.indexes] = indexes
        if isPrior { dictionary[.notificationIsPrior] = true }
        return dictionary
    }

    private static func boxed(_ value: Value) -> any Sendable {
        if let optional = value as? any OptionalValue, optional.isNil { NullValue() } else { value }
    }
}

/// Lets a generic value be asked whether it is a nil.
private protocol OptionalValue {
    var isNil: Bool { get }
}

extension Optional: OptionalValue {
    var isNil: Bool { self == nil }
}
