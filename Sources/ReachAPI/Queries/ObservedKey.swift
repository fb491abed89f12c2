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

    /// Whether an event is a change of this key. A delivery sets the status and with it fires every dependent key,
    /// changed or not (K10); a change of the path that no delivery told sets path and resolution.
    func isSet(by content: Event.Content) -> Bool {
        switch (self, content) {
        case (.state, .state(let record, let previous)): record.state != previous.state
        case (.state, _): false
        case (_, .reachability): true
        case (.path, .path(_, _, _, let isDelivered)), (.resolution, .path(_, _, _, let isDelivered)): !isDelivered
        default: false
        }
    }

    /// Whether the key exists for what the record speaks of: the network has no state.
    func exists(in record: StatusRecord) -> Bool { self != .state || record.target != nil }

    func isEqual(_ left: StatusRecord, _ right: StatusRecord) -> Bool {
        switch self {
        case .status: left.status == right.status
        case .reachable: left.status.isReachable == right.status.isReachable
        case .reachableViaWWAN: (left.status == .reachableViaWWAN) == (right.status == .reachableViaWWAN)
        case .reachableViaWiFi: (left.status == .reachableViaWiFi) == (right.status == .reachableViaWiFi)
        case .flags: left.path?.flags == right.path?.flags
        case .path: PathField.changed(from: left, to: right).allSatisfy { $0 == .resolution }
        case .resolution: left.path?.resolution == right.path?.resolution
        case .state: left.state == right.state
        }
    }
}
