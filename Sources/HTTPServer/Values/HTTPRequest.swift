// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses
import CMicroHTTPD

/// A complete request; a plain value, so that routes are tested without a server.
package struct HTTPRequest: Sendable {
    /// The method, as received; see ``HTTPMethod`` for the known ones.
    package var method: String
    /// The path, as received, including percent-encoding, without the query.
    package var path: String
    /// The query after `?`, including percent-encoding; nil without one.
    package var query: String?
    /// The headers in the received order; parsed on demand.
    package var headers: [HTTPHeader] {
        get { fields.list }
        set { fields = .list(newValue) }
    }
    /// The body; empty without one.
    package var body: [UInt8]
    /// Whether the body was chunked. The connection then closes after the answer.
    package var isChunked: Bool
    /// Whether there was a body, possibly an empty chunked one.
    package var hasBody: Bool { isChunked || !body.isEmpty }
    /// The client's address and port, or `unix`; the text is made on demand.
    package var peer: String {
        get { address.description }
        set { address = PeerAddress(newValue) }
    }
    /// The client's address without port and scope; nil for a unix socket.
    package var peerAddress: IPAddress? {
        guard case .internet(let address, _, _) = address else { return nil }
        return address
    }

    /// Whether the client used a unix socket, which no page in a browser can do.
    package var isFromUnixSocket: Bool {
        guard case .unix = address else { return false }
        return true
    }

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
        address = PeerAddress(peer)
    }

    /// The value of the first header with a name, without regard to case.
    package func header(_ name: String) -> String? {
        fields.first(name)
    }

    /// Whether the client names gzip in `Accept-Encoding`; creates no string, as it is asked for each request.
    package var acceptsGzip: Bool {
        unsafe fields.withFirst("Accept-Encoding") { unsafe AcceptEncoding.acceptsGzip($0) } ?? false
    }

    /// Whether the first header with a name, without regard to its case, has a value; cheaper than reading it.
    package func header(_ name: String, is value: String) -> Bool {
        fields.isFirst(name, equalTo: value)
    }
}

/// The known request methods; others never reach a route.
package enum HTTPMethod: String, Sendable, Hashable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case options = "OPTIONS"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"

    /// The method with a name. Runs for each request: comparing short texts one by one is faster than the compiler's
    /// table.
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
    /// Copies what a route needs from a request that the C side owns.
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
