// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths

/// The keys that can be observed over HTTP (K9 and what reachd adds); named as the members of a target.
enum ObservedKey: String, CaseIterable {
    case status, reachable
    case reachableViaWWAN = "reachable_via_wwan"
    case reachableViaWiFi = "reachable_via_wifi"
    case flags, path, resolution, state

    /// Whether the key exists for what the record speaks of: the network has no state.
    func exists(in record: StatusRecord) -> Bool { self != .state || record.target != nil }
}
