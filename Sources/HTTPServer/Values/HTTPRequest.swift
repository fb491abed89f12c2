// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A complete request, as a route sees it; a plain value, so that routes are tested without a server.
public struct HTTPRequest: Sendable {
    /// The method as it came; see ``HTTPMethod`` for the known ones.
    public var method: String
    /// The path as it came, percent-encoding included, without the query.
    public var path: String
    /// What stood behind `?`, percent-encoding included; absent without one.
    public var query: String?
    /// The header fields in the order in which they came.
    public var headers: [HTTPHeader]
    /// The body, empty when there was none.
    public var body: [UInt8]
    /// The client's address and port, or `unix`.
    public var peer: String

    /// Creates a request.
    public init(
        method: String,
        path: String,
        query: String? = nil,
        headers: [HTTPHeader] = [],
        body: [UInt8] = [],
        peer: String = "test"
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.peer = peer
    }

    /// The value of the first field of a name, without regard to case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name.lowercased() }?.value
    }
}
