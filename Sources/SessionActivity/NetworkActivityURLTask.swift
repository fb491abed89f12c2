// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Dispatch
public import Foundation
public import FoundationNetworking
public import NetworkReachability
internal import Synchronization

/// A task of a ``NetworkActivitySession``, whose methods announce what they do (contract K22, K23).
///
/// All members may be used from any thread. Resuming and suspending ``task`` itself announces nothing.
public final class NetworkActivityURLTask: Sendable {
    /// The task, the object of its notifications.
    public let task: URLSessionTask
    private let announcer: TaskAnnouncer

    init(task: URLSessionTask, announcer: TaskAnnouncer) {
        self.task = task
        self.announcer = announcer
    }

    /// Resumes the task; posts `AFNetworkingTaskDidResume` unless it was running (K22: also for one that was cancelled).
    public func resume() {
        announcer.change {
            guard task.state != .running else { return nil }
            task.resume()
            return .AFNetworkingTaskDidResume
        }
    }

    /// Suspends the task; posts `AFNetworkingTaskDidSuspend` unless it was suspended (K22).
    ///
    /// After its first resume a task of a session with a `urlCache` is searched for in the cache. Foundation on Linux ends the
    /// process when the task is suspended and resumed within that time; a session without a cache has no such time.
    public func suspend() {
        announcer.change {
            guard task.state != .suspended else { return nil }
            task.suspend()
            return .AFNetworkingTaskDidSuspend
        }
    }

    /// Cancels the task: its completion handler gets `URLError.cancelled`, then `AFNetworkingTaskDidComplete` is posted.
    public func cancel() {
        task.cancel()
    }
}

/// Posts one task's notifications, each from a block of its own on the queue (contract K22), in the order of their causes.
final class TaskAnnouncer: Sendable {
    private let queue: DispatchQueue
    private let center: NotificationCenter
    /// Held while the task changes and the block is queued, so that two threads' notifications are in the order of their changes.
    private let changes = Mutex(())
    /// Between its creation and its end: the session's closure holds us, and we the task.
    private let task = Mutex<URLSessionTask?>(nil)

    init(queue: DispatchQueue, center: NotificationCenter) {
        self.queue = queue
        self.center = center
    }

    func adopt(_ made: URLSessionTask) {
        task.withLock { $0 = made }
    }

    /// Changes the task and posts the notification that the change returns.
    func change(_ change: () -> Notification.Name?) {
        changes.withLock { _ in
            if let name = change() { post(name) }
        }
    }

    /// Posts a notification from a block of its own.
    func post(_ name: Notification.Name) {
        guard let announced = task.withLock({ $0 }) else { return }
        if name == .AFNetworkingTaskDidComplete { task.withLock { $0 = nil } }
        queue.async { [center] in center.post(name: name, object: announced) }
    }
}

/// What makes an activity indicator count the tasks of a session (contract A3).
extension URLSessionTask: NetworkActivityTask {
    /// The URL of the request with which the task was made.
    public var originalRequestURL: URL? { originalRequest?.url }
}
