// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
