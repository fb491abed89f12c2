// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

// Values are the same wherever they stand.

extension CheckedValue.Located: Hashable {
    static func == (left: Self, right: Self) -> Bool { left.value == right.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension CheckedObject: Hashable {
    static func == (left: Self, right: Self) -> Bool { left.byName == right.byName }

    func hash(into hasher: inout Hasher) { hasher.combine(byName) }

    private var byName: [String: CheckedValue] {
        Dictionary(values.map { ($0.name, $0.located.value) }) { first, _ in first }
    }
}
