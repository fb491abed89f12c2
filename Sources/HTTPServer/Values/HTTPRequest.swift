// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD

/// A complete request, as a route sees it; a plain value, so that routes are tested without a server.
package struct HTTPRequest: Sendable {
    /// The method as it came; see ``HTTPMethod`` for the known ones.
    package var method: String
    /// The path as it came, percent-encoding included, without the query.
    package var path: String
    /// What stood behind `?`, percent-encoding included; absent without one.
    package var query: String?
    /// The header fields in the order in which they came; the server takes them apart when they are asked for.
    package var headers: [HTTPHeader] {
        get { fields.list }
        set { fields = .list(newValue) }
    }
    /// The body, empty when there was none.
    package var body: [UInt8]
    /// Whether the body came in chunks. The connection ends with the answer then.
    package var isChunked: Bool
    /// Whether there was a body, perhaps an empty one in chunks.
    package var hasBody: Bool { isChunked || !body.isEmpty }
    /// The client's address and port, or `unix`; the server makes the text when it is asked for.
    package var peer: String {
        get { address.description }
        set { address = .text(newValue) }
    }

    /// Whether the client came by a unix socket, which no page in a browser can do.
    package var isFromUnixSocket: Bool { address == .text("unix") }

    var fields: HeaderFields
    var address: PeerAddress

    /// Creates a request.
    package init(
        method: String,
        path: String,
        query: String? = nil,
        headers: [HTTPHeader] = [],
        body: [UInt8] = [],
        isChunked: Bool = false,
        peer: String = "test"
    ) {
        self.method = method
        self.path = path
        self.query = query
        fields = .list(headers)
        self.body = body
        self.isChunked = isChunked
        address = .text(peer)
    }

    /// The value of the first field of a name, without regard to case.
    package func header(_ name: String) -> String? {
        fields.first(name)
    }

    /// Whether the first field of a name, without regard to its case, has a value; cheaper than to ask for it.
    package func header(_ name: String, is value: String) -> Bool {
        fields.isFirst(name, equalTo: value)
    }
}

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

extension HTTPRequest {
    /// Copies what a route needs out of a request that the C side has lent.
    init(_ request: UnsafePointer<reachd_http_request>) {
        let lent = unsafe request.pointee
        method = unsafe Self.text(lent.method, lent.method_length)
        path = unsafe Self.text(lent.path, lent.path_length)
        query = unsafe lent.query.map { unsafe Self.text($0, lent.query_length) }
        fields = .block(
            unsafe lent.fields.withMemoryRebound(to: UInt8.self, capacity: lent.fields_length) { fields in
                unsafe Array(UnsafeBufferPointer(start: fields, count: lent.fields_length))
            }
        )
        body = unsafe lent.body.map { unsafe Array(UnsafeBufferPointer(start: $0, count: lent.body_length)) } ?? []
        isChunked = unsafe lent.is_chunked != 0
        address = unsafe PeerAddress(lent.peer)
    }

    private static func text(_ bytes: UnsafePointer<CChar>, _ count: Int) -> String {
        unsafe bytes.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
            unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        }
    }
}
