// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
