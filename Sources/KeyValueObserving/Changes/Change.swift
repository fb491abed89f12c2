// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The content of one notification (contract K2–K5).
///
/// For a change of single elements (``ChangeKind/insertion``, ``ChangeKind/removal``, ``ChangeKind/replacement``)
/// `old` and `new` hold only the elements at ``indexes``.
public struct Change<Value: Sendable>: Sendable {
    /// What was done; always present.
    public let kind: ChangeKind
    /// The value before the change: only with ``ObservationOptions/old``, never in an initial notification.
    public let old: Value?
    /// The value after the change: only with ``ObservationOptions/new``, never in a prior notification.
    public let new: Value?
    /// Whether the change is still to come (K4).
    public let isPrior: Bool
    /// Which elements are meant; nil when the whole value was set.
    public let indexes: RangeSet<Int>?

    /// Creates a change.
    ///
    /// - Parameters:
    ///   - kind: what was done.
    ///   - old: the value before, if requested.
    ///   - new: the value after, if requested.
    ///   - isPrior: whether the change is still to come.
    ///   - indexes: which elements of a collection are meant.
    public init(
        kind: ChangeKind = .setting,
        old: Value? = nil,
        new: Value? = nil,
        isPrior: Bool = false,
        indexes: RangeSet<Int>? = nil
    ) {
        self.kind = kind
        self.old = old
        self.new = new
        self.isPrior = isPrior
        self.indexes = indexes
    }
}

extension Change: Equatable where Value: Equatable {}

/// What was done to the observed value; raw values are those of `NSKeyValueChange` (contract K2).
public enum ChangeKind: Int, Sendable, Hashable, CaseIterable {
    /// The value was set as a whole; also the kind of every initial notification.
    case setting = 1
    /// Elements were inserted into a collection.
    case insertion = 2
    /// Elements were removed from a collection.
    case removal = 3
    /// Elements of a collection were replaced.
    case replacement = 4

    /// The kind's name in the HTTP contract.
    public var name: String {
        switch self {
        case .setting: "setting"
        case .insertion: "insertion"
        case .removal: "removal"
        case .replacement: "replacement"
        }
    }
}
