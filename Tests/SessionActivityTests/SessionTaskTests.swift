// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Foundation
public import FoundationNetworking
public import NetworkReachability
import Testing

// What the documentation of the protocol tells a user to write; outside this package it is `@retroactive` too.
extension URLSessionTask: NetworkActivityTask {
    /// Where the task goes.
    public var originalRequestURL: URL? { originalRequest?.url }
}

@Suite("Activity: URLSession's tasks")
struct SessionTaskTests {
    @Test("A3: a task of a URLSession is counted once it is declared to be one")
    func sessionTask() throws {
        let center = NotificationCenter()
        let manager = NetworkActivityIndicatorManager(notificationCenter: center)
        // Never resumed, so that nothing is sent.
        let task = URLSession.shared.dataTask(with: try #require(URL(string: "http://127.0.0.1:9/")))
        center.post(name: .AFNetworkingTaskDidResume, object: task)
        #expect(manager.activityCount == 1)
        center.post(name: .AFNetworkingTaskDidComplete, object: task)
        #expect(manager.activityCount == 0)
    }
}
