// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where an activity indicator is; raw values are those of AFNetworking (contract A1).
public enum ActivityState: Int, Sendable, Hashable, CaseIterable {
    /// Nothing goes on, or the machine is disabled; hidden. Next: ``delayingStart``.
    case notActive = 0
    /// Something goes on, for less than the activation delay; hidden. Next: ``active`` or ``notActive``.
    case delayingStart = 1
    /// Something goes on; visible. Next: ``delayingEnd``, or ``notActive`` when disabled.
    case active = 2
    /// Nothing goes on, for less than the completion delay; still visible. Next: ``active`` or ``notActive``.
    case delayingEnd = 3

    /// The state's name in the HTTP contract: `not_active`, `delaying_start`, `active`, `delaying_end`.
    public var name: String {
        switch self {
        case .notActive: "not_active"
        case .delayingStart: "delaying_start"
        case .active: "active"
        case .delayingEnd: "delaying_end"
        }
    }
}
