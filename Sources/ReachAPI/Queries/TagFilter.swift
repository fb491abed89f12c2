// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A tag that a target must carry.
struct TagFilter: Hashable {
    let name: String
    let value: String
}
