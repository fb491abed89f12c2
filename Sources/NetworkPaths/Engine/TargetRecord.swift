// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A target inside the engine.
struct TargetRecord {
    let id: PathID
    /// Normalised once; see ``PathTarget/normalized``.
    let request: PathRequest
    /// The last verdict told, nil before the first.
    var path: NetworkPath?
    /// The name's resolution, for name targets.
    var name: NameRecord?
}
