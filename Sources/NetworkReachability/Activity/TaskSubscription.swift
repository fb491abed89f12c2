// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import Synchronization

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
