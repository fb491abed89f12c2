// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// Where other programs say what is watched.
package struct DiscoverySettings: Sendable, Hashable {
    /// The paths of files of targets, with `*`, `?` and `[…]` in the last part; empty for nowhere.
    package var files: [String] = []
    /// How often they are read again without being told of a change.
    package var refresh: Duration = .seconds(300)
    /// How the targets are asked whether they answer; nil to believe their paths alone.
    var probe: CheckedObject?
}
