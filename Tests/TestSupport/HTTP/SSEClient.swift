// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Reads a server-sent-events stream block by block; one thread at a time.
package final class SSEClient {
    /// The status line and the header of the stream.
    package let reply: HTTPReply
    /// The connection, for tests that stop reading.
    package let connection: HTTPConnection
    private let isChunked: Bool
    private var buffer: [UInt8] = []

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - path: The target as it is sent.
    ///   - port: The server's port.
    ///   - headers: Fields beside `Host` and `Accept`.
    ///   - namespace: Where to connect, nil for the test's own network.
    package init(
        _ path: String = "/events",
        port: UInt16,
        headers: [String: String] = [:],
        in namespace: NetworkNamespace? = nil
    ) throws {
        connection = try HTTPConnection(port: port, in: namespace)
        let fields = headers.merging(["Accept": "text/event-stream"]) { own, _ in own }
        try connection.send(HTTPClient.head("GET", path, fields))
        reply = try connection.receiveHead()
        isChunked = reply["Transfer-Encoding"]?.lowercased() == "chunked"
    }

    /// Reads the next block, comments and `retry` included; nil when the stream ended.
    package func nextBlock() throws -> SSEMessage? {
        var message = SSEMessage()
        var isEmpty = true
        var data: [String] = []
        while let line = try readLine() {
            if line.isEmpty {
                guard !isEmpty else { continue }
                message.data = data.joined(separator: "\n")
                return message
            }
            isEmpty = false
            let field = line.prefix { $0 != ":" }
            var value = line.dropFirst(field.count + 1)
            if value.first == " " { value = value.dropFirst() }
            switch field {
            case "": message.comments.append(String(value))
            case "event":
                message.event = String(value)
                message.isEvent = true
            case "data":
                data.append(String(value))
                message.isEvent = true
            case "id": message.id = String(value)
            case "retry": message.retry = Int(value)
            default: throw HTTPFailure("unknown field: \(line)")
            }
        }
        return nil
    }

    /// Reads the next event that a condition holds for; nil when the stream ended.
    package func next(where matches: (SSEMessage) -> Bool = { _ in true }) throws -> SSEMessage? {
        while let block = try nextBlock() {
            if block.isEvent, matches(block) { return block }
        }
        return nil
    }

    private func readLine() throws -> String? {
        guard isChunked else { return try connection.readLine() }
        while true {
            if let end = buffer.firstIndex(of: 10) {
                var line = buffer[..<end]
                if line.last == 13 { line = line.dropLast() }
                let text = String(decoding: line, as: UTF8.self)
                buffer.removeSubrange(...end)
                return text
            }
            guard let chunk = try connection.readChunk() else { return nil }
            buffer += chunk
        }
    }
}
