// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// A sum that several threads add to.
final class Count: Sendable {
    private let sum = Atomic(0)

    /// - Returns: The sum with this.
    func add(_ value: Int) -> Int { sum.add(value, ordering: .sequentiallyConsistent).newValue }
}
