// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Dispatch
public import Foundation
public import FoundationNetworking
internal import NetworkReachability

/// Makes tasks of a `URLSession` that post AFNetworking's task notifications (contract K22, K23).
///
/// AFNetworking replaces `resume` and `suspend` of Apple's task class at run time, which Swift on Linux cannot do. A task that
/// is made here is resumed and suspended through its ``NetworkActivityURLTask``; a `NetworkActivityIndicatorManager` counts it
/// from the notifications.
///
/// All members may be used from any thread. Completion handlers run where the session runs them, on its delegate queue.
public final class NetworkActivitySession: Sendable {
    /// The session that carries the tasks out.
    public let session: URLSession
    private let notificationQueue: DispatchQueue
    private let notificationCenter: NotificationCenter

    /// Creates a source of tasks.
    ///
    /// - Parameters:
    ///   - session: The session that carries the tasks out; it is not invalidated at the end. nil for one with the default
    ///     configuration but without a cache, see ``NetworkActivityURLTask/suspend()``.
    ///   - notificationQueue: Where notifications are posted (K22: the main queue), each in a block of its own.
    ///   - notificationCenter: Where they are posted to.
    public init(
        session: URLSession? = nil,
        notificationQueue: DispatchQueue = .main,
        notificationCenter: NotificationCenter = .default
    ) {
        self.session = session ?? Self.sessionWithoutCache()
        self.notificationQueue = notificationQueue
        self.notificationCenter = notificationCenter
    }

    /// Makes a task that loads a request into memory.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - completionHandler: Called once, with the body, the response and the error.
    /// - Returns: The task, suspended.
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> NetworkActivityURLTask {
        make { session, didComplete in
            session.dataTask(with: request) { body, response, error in
                completionHandler(body, response, error)
                didComplete()
            }
        }
    }

    /// Makes a task that sends a body.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: Its body; nil for none.
    ///   - completionHandler: Called once, with the answer's body, the response and the error.
    /// - Returns: The task, suspended.
    public func uploadTask(
        with request: URLRequest,
        from body: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> NetworkActivityURLTask {
        make { session, didComplete in
            session.uploadTask(with: request, from: body) { body, response, error in
                completionHandler(body, response, error)
                didComplete()
            }
        }
    }

    /// Makes a task that loads a request into a file.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - completionHandler: Called once, with the file, the response and the error. The file is deleted when it returns.
    /// - Returns: The task, suspended.
    public func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> NetworkActivityURLTask {
        make { session, didComplete in
            session.downloadTask(with: request) { file, response, error in
                completionHandler(file, response, error)
                didComplete()
            }
        }
    }

    /// Loads a request; cancelling the calling task cancels the request.
    ///
    /// - Parameter request: The request.
    /// - Returns: The body and the response.
    /// - Throws: The session's error, `URLError` mostly.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        // The task exists before anything can be cancelled, and is resumed once, by the first of the two below.
        let (results, continuation) = AsyncThrowingStream<(Data, URLResponse), any Error>.makeStream()
        let task = dataTask(with: request) { body, response, error in
            if let response, error == nil {
                continuation.yield((body ?? Data(), response))
                continuation.finish()
            } else {
                continuation.finish(throwing: error ?? URLError(.unknown))
            }
        }
        return try await withTaskCancellationHandler {
            task.resume()
            for try await result in results { return result }
            throw CancellationError()
        } onCancel: {
            task.cancel()
        }
    }

    private static func sessionWithoutCache() -> URLSession {
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = nil
        return URLSession(configuration: configuration)
    }

    private func make(_ task: (URLSession, @escaping @Sendable () -> Void) -> URLSessionTask) -> NetworkActivityURLTask
    {
        let announcer = TaskAnnouncer(queue: notificationQueue, center: notificationCenter)
        let made = task(session) { announcer.change { .AFNetworkingTaskDidComplete } }
        announcer.adopt(made)
        return NetworkActivityURLTask(task: made, announcer: announcer)
    }
}
