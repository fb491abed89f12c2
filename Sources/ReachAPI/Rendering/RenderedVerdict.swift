// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths

/// What a `reachability` event says besides its target and its time: equal ones are rendered alike.
struct RenderedVerdict: Equatable {
    private let path: NetworkPath?
    private let supportsDNS: Bool
    private let previousStatus: ReachabilityStatus
    private let previousFlags: SCNetworkReachabilityFlags?
    private let trigger: ChangeTrigger
    /// Not the path's alone: a maintenance or a parent has the last word.
    private let reason: StateReason?

    init(_ record: StatusRecord, previous: StatusRecord, trigger: ChangeTrigger) {
        path = record.shownPath
        supportsDNS = record.supportsDNS
        previousStatus = previous.status
        previousFlags = previous.path?.flags
        self.trigger = trigger
        reason = record.reason
    }
}
