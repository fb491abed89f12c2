// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A watch on the resolver's files that must be ended.
protocol ResolverFileWatch: AnyObject {
    /// Ends it; called on the engine's loop.
    func close()
}
