// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Parses server-sent events from chunks of any size (HTML standard, section 9.2.6).
///
/// The data between two events is limited, including comments and unknown fields: exceeding the limit ends the stream.
package struct EventStreamReader: Sendable {
    /// The limit in bytes of an event and of the data before it.
    package static let eventLimit = 64 << 20

    /// The last event ID; "" for none.
    package private(set) var lastID: String
    /// The server's reconnection delay in milliseconds; nil unless it sent one.
    package private(set) var retry: Int?
    /// Whether the limit was exceeded; further input is ignored.
    package private(set) var isTooLarge = false

    private var line: [UInt8] = []
    /// The number of bytes since the last event.
    private var size = 0
    private var isAfterReturn = false
    private var isAtStart = true
    private var type = ""
    private var id: String
    private var data: [UInt8] = []
    private var hasData = false

    /// Creates a reader for a new connection.
    package init(lastID: String = "") {
        self.lastID = lastID
        id = lastID
    }

    /// Parses a chunk, and returns the events that it completes.
    package mutating func read(_ piece: [UInt8]) -> [StreamEvent] {
        var events: [StreamEvent] = []
        for byte in piece where !isTooLarge {
            defer { isAfterReturn = byte == 0x0D }
            size += 1
            if size > Self.eventLimit { isTooLarge = true }
            switch byte {
            case 0x0A where isAfterReturn: break
            case 0x0A, 0x0D:
                if let event = endLine() {
                    events.append(event)
                    size = 0
                }
            default: line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() -> StreamEvent? {
        defer { line.removeAll(keepingCapacity: line.count < 65_536) }
        if isAtStart {
            isAtStart = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        guard colon != 0 else { return nil }
        let name = String(decoding: line[..<(colon ?? line.endIndex)], as: UTF8.self)
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == 0x20 { value.removeFirst() }
        switch name {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(0x0A) }
            data += value
            hasData = true
        case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
        case "retry":
            if !value.isEmpty, value.allSatisfy({ (0x30...0x39).contains($0) }) {
                retry = Int(String(decoding: value, as: UTF8.self))
            }
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> StreamEvent? {
        defer { (type, data, hasData) = ("", [], false) }
        lastID = id
        guard hasData else { return nil }
        return StreamEvent(type: type.isEmpty ? "message" : type, id: id, data: data)
    }
}

/// An event of a stream (HTML standard, section 9.2).
package struct StreamEvent: Sendable, Hashable {
    /// The event type.
    package var type: String
    /// The last event ID; "" before the first.
    package var id: String
    /// The data; lines are joined by line feeds.
    package var data: [UInt8]

    package init(type: String, id: String, data: [UInt8]) {
        self.type = type
        self.id = id
        self.data = data
    }
}
