// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Foundation

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
