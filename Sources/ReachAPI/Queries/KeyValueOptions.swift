// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a key-value observer wants to be told (K1); raw values are Foundation's.
struct KeyValueOptions: OptionSet, Hashable {
    let rawValue: UInt

    static let new = KeyValueOptions(rawValue: 1)
    static let old = KeyValueOptions(rawValue: 2)
    static let initial = KeyValueOptions(rawValue: 4)
    static let prior = KeyValueOptions(rawValue: 8)

    /// The options by their names in the contract.
    static let named: [(name: String, value: KeyValueOptions)] = [
        ("new", .new), ("old", .old), ("initial", .initial), ("prior", .prior),
    ]
}
