// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a server answered.
package struct HTTPReply: Sendable {
    /// The status line as it was sent.
    package let statusLine: String
    /// The header fields in their order, names as they were sent.
    package let headers: [(name: String, value: String)]
    /// The body, chunks joined; empty for a stream's head.
    package internal(set) var body: [UInt8] = []

    /// The status code, 0 when the line has none.
    package var status: Int {
        let words = statusLine.split(separator: " ")
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }

    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The first header field of a name, in any case.
    package subscript(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
