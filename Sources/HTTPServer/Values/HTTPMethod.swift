// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A request method that some route may know; others never reach a route.
public enum HTTPMethod: String, Sendable, Hashable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case options = "OPTIONS"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}
