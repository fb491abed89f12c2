// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import Foundation
import FoundationNetworking
import KeyValueObserving
import NetworkReachability
import SessionActivity
import TestSupport
import Testing

/// A session against a server on loopback, with a queue and a notification centre of its own.
private final class SessionRig: Sendable {
    let center = NotificationCenter()
    let queue = DispatchQueue(label: "notifications")
    let server: HookServer
    let activity: NetworkActivitySession
    let indicator: NetworkActivityIndicatorManager
    /// The notifications, and "handler" for a completion handler's call.
    let events = Recorder<String>()
    /// What the indicator counted, after each change.
    let counts = Recorder<Int>()
    /// Touched at the beginning and the end of a test alone.
    nonisolated(unsafe) private var observers: [any NSObjectProtocol] = []
    private let observation: KeyValueObservation

    init(_ behaviour: @escaping @Sendable (HookServer.Request, Int) -> HookServer.Reply = { _, _ in .status(200) })
        throws
    {
        server = try HookServer(behaviour)
        activity = NetworkActivitySession(notificationQueue: queue, notificationCenter: center)
        indicator = NetworkActivityIndicatorManager(deliveryQueue: queue, notificationCenter: center)
        observation = indicator.observe(.activityCount, options: .new) { [counts] _, change in
            if let new = change.new { counts.record(new) }
        }
        let names: [(Notification.Name, String)] = [
            (.AFNetworkingTaskDidResume, "resume"), (.AFNetworkingTaskDidSuspend, "suspend"),
            (.AFNetworkingTaskDidComplete, "complete"),
        ]
        for (name, word) in names {
            let observer = center.addObserver(forName: name, object: nil, queue: nil) {
                [events, queue] note in
                dispatchPrecondition(condition: .onQueue(queue))
                events.record(note.object is URLSessionTask ? word : "\(word) of what?")
            }
            unsafe observers.append(observer)
        }
    }

    deinit {
        for observer in unsafe observers { center.removeObserver(observer) }
        server.close()
        activity.session.invalidateAndCancel()
    }

    func request() throws -> URLRequest {
        URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(server.port)/")))
    }

    func task() throws -> NetworkActivityURLTask {
        activity.dataTask(with: try request()) { [events] _, _, error in
            events.record(error == nil ? "handler" : "handler failed")
        }
    }

    /// The notifications alone: a completion handler runs on another queue, and may do so before the block of the resume does.
    var notifications: [String] { events.events.filter { !$0.contains("handler") } }

    /// The calls of completion handlers, each of which precedes its notification.
    var ends: [String] { events.events.filter { $0.contains("handler") || $0 == "complete" } }

    /// Waits until all blocks that are on the queue now have run.
    func settle() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}

@Suite("Activity: tasks of a URLSession")
struct SessionTaskTests {
    @Test("A3: a task that is announced by hand is counted")
    func announcedByHand() throws {
        let center = NotificationCenter()
        let manager = NetworkActivityIndicatorManager(notificationCenter: center)
        // Never resumed, so that nothing is sent.
        let task = URLSession.shared.dataTask(with: try #require(URL(string: "http://127.0.0.1:9/")))
        center.post(name: .AFNetworkingTaskDidResume, object: task)
        #expect(manager.activityCount == 1)
        center.post(name: .AFNetworkingTaskDidComplete, object: task)
        #expect(manager.activityCount == 0)
    }

    @Test("K22, K23: resume, the completion handler, complete; the count is 1 in between")
    func sequence() async throws {
        let rig = try SessionRig()
        let task = try rig.task()
        #expect(rig.indicator.activityCount == 0)
        task.resume()
        try await rig.events.next { $0 == "complete" }
        await rig.settle()
        #expect(rig.notifications == ["resume", "complete"])
        #expect(rig.ends == ["handler", "complete"])
        #expect(rig.counts.events == [1, 0])
    }

    @Test("K22: a second resume and a second suspend post nothing; suspending takes the task out of the count")
    func repeated() async throws {
        let rig = try SessionRig { _, _ in .hang }
        let task = try rig.task()
        task.suspend()
        task.resume()
        task.resume()
        // At once: with a cache in its session the process would end here.
        task.suspend()
        task.suspend()
        task.resume()
        await rig.settle()
        #expect(rig.events.events == ["resume", "suspend", "resume"])
        #expect(rig.counts.events == [1, 0, 1])
        task.cancel()
        try await rig.events.next { $0 == "complete" }
        #expect(rig.events.events.suffix(2) == ["handler failed", "complete"])
        await rig.settle()
        #expect(rig.counts.events == [1, 0, 1, 0])
    }

    @Test("K22: only tasks that were made here are announced")
    func others() async throws {
        let rig = try SessionRig()
        let done = Recorder<Bool>()
        let task = rig.activity.session.dataTask(with: try rig.request()) { _, _, _ in done.record(true) }
        task.resume()
        try await done.next { $0 }
        await rig.settle()
        #expect(rig.events.events.isEmpty)
    }

    @Test("K23: each kind of task, and a request that fails")
    func kinds() async throws {
        let rig = try SessionRig()
        let request = try rig.request()
        var post = request
        post.httpMethod = "POST"
        let upload = rig.activity.uploadTask(with: post, from: Data("hello".utf8)) { [events = rig.events] _, _, _ in
            events.record("handler")
        }
        upload.resume()
        try await rig.events.next { $0 == "complete" }
        #expect(rig.server.requests.events.map(\.body) == ["hello"])
        let mark = rig.events.count
        let download = rig.activity.downloadTask(with: request) { [events = rig.events] file, _, _ in
            let isThere = file.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
            events.record(isThere ? "handler" : "no file")
        }
        download.resume()
        try await rig.events.next(after: mark) { $0 == "complete" }
        rig.server.close()
        let refused = rig.events.count
        try rig.task().resume()
        try await rig.events.next(after: refused) { $0 == "complete" }
        await rig.settle()
        #expect(rig.notifications == ["resume", "complete", "resume", "complete", "resume", "complete"])
        #expect(rig.ends == ["handler", "complete", "handler", "complete", "handler failed", "complete"])
        #expect(rig.counts.events == [1, 0, 1, 0, 1, 0])
    }

    @Test("K23: an awaited request is announced, and cancelled with its task")
    func awaited() async throws {
        let rig = try SessionRig { request, count in count == 0 ? .status(204) : .hang }
        let request = try rig.request()
        let (_, response) = try await rig.activity.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == 204)
        try await rig.events.next { $0 == "complete" }
        let mark = rig.events.count
        let work = Task { try await rig.activity.data(for: request) }
        try await rig.events.next(after: mark) { $0 == "resume" }
        work.cancel()
        await #expect(throws: (any Error).self) { try await work.value }
        try await rig.events.next(after: mark) { $0 == "complete" }
        await rig.settle()
        #expect(rig.events.events == ["resume", "complete", "resume", "complete"])
        #expect(rig.counts.events == [1, 0, 1, 0])
    }
}
