// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths

/// Where verdicts come from: a path engine, or a stand-in for it in tests.
package protocol PathSource: AnyObject, Sendable {
    /// Begins to judge, each request under the caller's handle; first verdicts arrive through the observer, possibly before
    /// this returns.
    func add(_ requests: [(id: PathID, request: PathRequest)])
    /// Ends it.
    func remove(_ ids: [PathID])
}

extension PathEngine: PathSource {}
