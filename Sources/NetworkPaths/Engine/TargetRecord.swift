// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A target inside the engine.
struct TargetRecord {
    /// Which changes can touch a target, beyond those inside its own prefix.
    enum Scope {
        case family(AddressFamily)
        case defaultPath(AddressFamily?)
        case name
        /// Every change: a pair whose remote end is the default path.
        case anything
    }

    let id: PathID
    let scope: Scope
    /// Normalised once; see ``PathTarget/normalized``.
    let request: PathRequest
    /// The last verdict told, nil before the first.
    var path: NetworkPath?
    /// The name's resolution, for name targets.
    var name: NameRecord?

    init(id: PathID, request: PathRequest) {
        self.id = id
        self.request = request
        scope =
            switch request.target {
            case .address(let address, _): .family(address.family)
            case .pair(_, let remote?) where remote.isUnspecified: .anything
            case .pair(let local, let remote): .family((local ?? remote)?.family ?? .ipv4)
            case .defaultPath(let family, _): .defaultPath(family)
            case .name: .name
            }
    }
}
