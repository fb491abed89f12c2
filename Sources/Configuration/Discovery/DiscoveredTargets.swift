// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// What a file of targets came to.
struct DiscoveredTargets: Sendable, Hashable {
    /// The targets, in the order of the file.
    var targets: [TargetSettings] = []
    /// What of the file was passed over.
    var notes: [String] = []
}
