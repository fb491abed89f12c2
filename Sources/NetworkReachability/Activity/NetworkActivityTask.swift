// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Foundation
import Synchronization

/// The object of a task notification that an activity indicator counts (contract A3).
///
/// `URLSessionTask` is one with `import SessionActivity`, whose `NetworkActivitySession` also posts the notifications. It is a
/// library of its own, because FoundationNetworking, and libcurl with it, would come into every program that uses this one.
public protocol NetworkActivityTask: AnyObject {
    /// The URL of the request with which the task was made; without one the task is not counted (contract A3).
    ///
    /// It is asked on the thread that posts.
    var originalRequestURL: URL? { get }
}

/// Posted by a network stack when a request begins or resumes; its object is the task (contract K22).
public let AFNetworkingTaskDidResumeNotification = Notification.Name.AFNetworkingTaskDidResume

/// Posted by a network stack when a request pauses; its object is the task (contract K22).
public let AFNetworkingTaskDidSuspendNotification = Notification.Name.AFNetworkingTaskDidSuspend

/// Posted by a network stack when a request ends, in any way; its object is the task (contract K22, K23).
public let AFNetworkingTaskDidCompleteNotification = Notification.Name.AFNetworkingTaskDidComplete

extension Notification.Name {
    /// `com.alamofire.networking.task.resume`, the original's name (contract K22, K24).
    public static let AFNetworkingTaskDidResume = Notification.Name("com.alamofire.networking.task.resume")

    /// `com.alamofire.networking.task.suspend`, the original's name (contract K22, K24).
    public static let AFNetworkingTaskDidSuspend = Notification.Name("com.alamofire.networking.task.suspend")

    /// `com.alamofire.networking.task.complete`, the original's name (contract K22, K24).
    public static let AFNetworkingTaskDidComplete = Notification.Name("com.alamofire.networking.task.complete")
}

/// What a task notification says.
enum TaskAnnouncement: CaseIterable {
    case resumed, suspended, completed

    var name: Notification.Name {
        switch self {
        case .resumed: .AFNetworkingTaskDidResume
        case .suspended: .AFNetworkingTaskDidSuspend
        case .completed: .AFNetworkingTaskDidComplete
        }
    }
}

/// The registration of one manager for the three task notifications (contract A2, A3).
final class TaskSubscription: Sendable {
    private let center: NotificationCenter
    private let registrations = Mutex<[Registration]>([])

    init(center: NotificationCenter) {
        self.center = center
    }

    /// Begins to listen; to be called once.
    ///
    /// - Parameter handler: called on the thread that posts, for each object that has an original request with a URL.
    func begin(_ handler: @escaping @Sendable (TaskAnnouncement, ObjectIdentifier) -> Void) {
        for announcement in TaskAnnouncement.allCases {
            let observer = center.addObserver(forName: announcement.name, object: nil, queue: nil) { notification in
                guard let task = notification.object as? any NetworkActivityTask, task.originalRequestURL != nil else {
                    return
                }
                handler(announcement, ObjectIdentifier(task))
            }
            let registration = Registration(observer)
            registrations.withLock { $0.append(registration) }
        }
    }

    /// Ends it; idempotent.
    func end() {
        let ended = registrations.withLock { registrations in
            defer { registrations = [] }
            return registrations
        }
        for registration in ended { center.removeObserver(registration.observer) }
    }

    /// The opaque object of one registration.
    ///
    /// Unchecked: it is never used but to be handed back to the centre, which takes it from any thread.
    private struct Registration: @unchecked Sendable {
        let observer: any NSObjectProtocol

        init(_ observer: any NSObjectProtocol) {
            self.observer = observer
        }
    }
}
