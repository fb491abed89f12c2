// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a server answered.
public struct HTTPReply: Sendable {
    /// The status line as it was sent.
    public let statusLine: String
    /// The header fields in their order, names as they were sent.
    public let headers: [(name: String, value: String)]
    /// The body, chunks joined; empty for a stream's head.
    public internal(set) var body: [UInt8] = []

    /// The status code, 0 when the line has none.
    public var status: Int {
        let words = statusLine.split(separator: " ")
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }

    /// The body as text.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The first header field of a name, in any case.
    public subscript(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
