// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a route answers.
package struct HTTPResponse: Sendable {
    /// What follows the header fields.
    package enum Body: Sendable {
        /// Nothing.
        case empty
        /// Bytes, sent with their length.
        case bytes([UInt8])
        /// Bytes that many requests share: they were handed to the HTTP library once.
        case prepared(PreparedBody)
        /// A stream that goes on until either side ends it.
        case stream(any StreamSource)
        /// A response that is not known yet. The status beside it is ignored, the header fields are added to the response's.
        case deferred(DeferredResponse)
    }

    /// The status code. A 304 is sent without its body.
    package var status: Int
    /// The header fields, without those that the server itself writes (Date, Content-Length, Connection).
    package var headers: [HTTPHeader]
    /// What follows them.
    package var body: Body

    /// Creates a response.
    package init(status: Int, headers: [HTTPHeader] = [], body: Body = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
