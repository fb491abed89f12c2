// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD

extension HTTPHeader {
    /// Whether the field can be sent: its name is a token, its value is not empty and has no control characters, so
    /// that nothing in it can end the field and begin another.
    var isSendable: Bool {
        !name.utf8.isEmpty && !value.utf8.isEmpty
            && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ":") }
            && value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7f) || $0 == UInt8(ascii: "\t") }
    }
}

/// Status lines and header fields for what is written to a socket without the library.
enum ResponseHead {
    /// The head of a response that ends with its connection.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headers: The fields; those that cannot be sent are left out.
    ///   - date: The Date field's value.
    ///   - length: The body's length in bytes; nil for a stream, which tells proxies not to hold it back.
    static func bytes(status: Int, headers: [HTTPHeader], date: String, length: Int?) -> [UInt8] {
        var text = "HTTP/1.1 \(status) "
        text += unsafe String(cString: reachd_http_reason(UInt32(clamping: status)))
        text += "\r\nDate: \(date)\r\nConnection: close\r\n"
        if let length {
            text += "Content-Length: \(length)\r\n"
        } else {
            text += "X-Accel-Buffering: no\r\n"
        }
        for header in headers where header.isSendable {
            text += "\(header.name): \(header.value)\r\n"
        }
        text += "\r\n"
        return Array(text.utf8)
    }
}
