// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One block of a `text/event-stream`, read as a browser reads it.
struct ServerSentEvent {
    var type = "message"
    var id: String?
    var data: JSONValue?
    var comment: String?
    var retry: String?

    static func parse(_ bytes: [UInt8]) throws -> [ServerSentEvent] {
        let text = String(decoding: bytes, as: UTF8.self)
        guard !text.isEmpty else { return [] }
        struct Unterminated: Error {}
        guard text.hasSuffix("\n\n") else { throw Unterminated() }
        var events: [ServerSentEvent] = []
        var current = ServerSentEvent()
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                events.append(current)
                current = ServerSentEvent()
                continue
            }
            guard let colon = line.firstIndex(of: ":") else { throw Unterminated() }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            switch line[..<colon] {
            case "event": current.type = String(value)
            case "id": current.id = String(value)
            case "data": current.data = try JSONValue(parsing: String(value))
            case "retry": current.retry = String(value)
            case "": current.comment = String(value)
            default: throw Unterminated()
            }
        }
        return events
    }
}
