// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import NetworkPaths

/// Where verdicts come from: a path engine, or a stand-in for it in tests.
public protocol PathSource: AnyObject, Sendable {
    /// Begins to judge; each first verdict arrives through the observer, possibly before this returns.
    ///
    /// - Returns: one handle a request, in the same order.
    func add(_ requests: [PathRequest]) -> [PathID]
    /// Ends it.
    func remove(_ ids: [PathID])
}

extension PathEngine: PathSource {}
