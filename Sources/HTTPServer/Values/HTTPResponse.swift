// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD

/// A response.
package struct HTTPResponse: Sendable {
    /// The body.
    package enum Body: Sendable {
        /// Nothing.
        case empty
        /// Bytes, sent with their length.
        case bytes([UInt8])
        /// Bytes that many requests share, passed to the HTTP library once.
        case prepared(PreparedBody)
        /// A stream that lasts until either side ends it.
        case stream(any StreamSource)
        /// A response that is completed later. The status beside it is ignored, the headers are added to the
        /// response's.
        case deferred(DeferredResponse)
    }

    /// The status code. A 304 is sent without its body.
    package var status: Int
    /// The headers, without those that the server writes itself (Date, Content-Length, Connection).
    package var headers: [HTTPHeader]
    /// The body.
    package var body: Body

    /// Creates a response.
    package init(status: Int, headers: [HTTPHeader] = [], body: Body = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension HTTPHeader {
    /// Whether the header can be sent: its name is a token, its value is not empty and has no control characters, so
    /// that nothing in it can end the header and begin another.
    var isSendable: Bool {
        !name.utf8.isEmpty && !value.utf8.isEmpty
            && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ":") }
            && value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7f) || $0 == UInt8(ascii: "\t") }
    }
}

/// Status lines and headers of what is written to a socket without the library.
enum ResponseHead {
    private static let noBuffering = HTTPHeader("X-Accel-Buffering", "no")

    /// The head of a response that ends with its connection.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headers: The headers; those that cannot be sent are omitted.
    ///   - date: The Date header's value.
    ///   - length: The body's length in bytes; nil for a stream, which makes proxies not buffer it, whether the headers say so or not.
    static func bytes(status: Int, headers: [HTTPHeader], date: String, length: Int?) -> [UInt8] {
        var text = "HTTP/1.1 \(status) "
        text += unsafe String(cString: reachd_http_reason(UInt32(clamping: status)))
        text += "\r\nDate: \(date)\r\nConnection: close\r\n"
        if let length {
            text += "Content-Length: \(length)\r\n"
        } else if !headers.contains(where: { $0.name == noBuffering.name }) {
            text += "\(noBuffering.name): \(noBuffering.value)\r\n"
        }
        for header in headers where header.isSendable {
            text += "\(header.name): \(header.value)\r\n"
        }
        text += "\r\n"
        return Array(text.utf8)
    }
}
