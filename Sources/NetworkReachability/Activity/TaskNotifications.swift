// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Foundation

/// Posted by whoever runs requests when one begins or goes on; its object is the task (contract K22).
public let AFNetworkingTaskDidResumeNotification = Notification.Name.AFNetworkingTaskDidResume

/// Posted by whoever runs requests when one pauses; its object is the task (contract K22).
public let AFNetworkingTaskDidSuspendNotification = Notification.Name.AFNetworkingTaskDidSuspend

/// Posted by whoever runs requests when one is over, however it ended; its object is the task (contract K22, K23).
public let AFNetworkingTaskDidCompleteNotification = Notification.Name.AFNetworkingTaskDidComplete

extension Notification.Name {
    /// `com.alamofire.networking.task.resume`, the original's name (contract K22, K24).
    public static let AFNetworkingTaskDidResume = Notification.Name("com.alamofire.networking.task.resume")

    /// `com.alamofire.networking.task.suspend`, the original's name (contract K22, K24).
    public static let AFNetworkingTaskDidSuspend = Notification.Name("com.alamofire.networking.task.suspend")

    /// `com.alamofire.networking.task.complete`, the original's name (contract K22, K24).
    public static let AFNetworkingTaskDidComplete = Notification.Name("com.alamofire.networking.task.complete")
}
