// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Foundation

/// Posted on the delivery queue with each delivery, after the observers and the block were told (contract R17, R21).
///
/// Its object is the manager; its user info has ``AFNetworkingReachabilityNotificationStatusItem``. It is posted for
/// every delivery, also when the status is what it was (R20).
public let AFNetworkingReachabilityDidChangeNotification = Notification.Name.AFNetworkingReachabilityDidChange

/// The user info's key for the status, an `Int` with the raw value of ``NetworkReachabilityStatus`` (contract R21).
public let AFNetworkingReachabilityNotificationStatusItem = "AFNetworkingReachabilityNotificationStatusItem"

extension Notification.Name {
    /// `com.alamofire.networking.reachability.change`, the original's name (contract R21, K24).
    public static let AFNetworkingReachabilityDidChange = Notification.Name(
        "com.alamofire.networking.reachability.change"
    )
}
