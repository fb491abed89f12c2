// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A request method that some route may know; others never reach a route.
package enum HTTPMethod: String, Sendable, Hashable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case options = "OPTIONS"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"

    /// A method by its name. Each request asks: comparing short texts one by one is quicker than the table that the compiler
    /// would make.
    package init?(rawValue: String) {
        switch rawValue {
        case "GET": self = .get
        case "HEAD": self = .head
        case "OPTIONS": self = .options
        case "POST": self = .post
        case "PUT": self = .put
        case "PATCH": self = .patch
        case "DELETE": self = .delete
        default: return nil
        }
    }
}
