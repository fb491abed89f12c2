// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Takes a stream of server-sent events apart, however it is cut into pieces (HTML standard, section 9.2.6).
///
/// What comes from one event to the next is bounded, comments and fields without a meaning included: more ends the
/// stream.
package struct EventStreamReader: Sendable {
    /// The most bytes of an event, and of what lies before it.
    package static let eventLimit = 64 << 20

    /// The last id that was seen; "" for none.
    package private(set) var lastID: String
    /// How long to wait before the next connection, in milliseconds, if the server said so.
    package private(set) var retry: Int?
    /// Whether an event was longer than what is taken; nothing is read from then on.
    package private(set) var isTooLarge = false

    private var line: [UInt8] = []
    /// How many bytes came since the last event.
    private var size = 0
    private var isAfterReturn = false
    private var isAtStart = true
    private var type = ""
    private var id: String
    private var data: [UInt8] = []
    private var hasData = false

    /// A reader of a new connection.
    package init(lastID: String = "") {
        self.lastID = lastID
        id = lastID
    }

    /// Takes a piece, and returns the events that are whole now.
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

/// One event of a stream (HTML standard, section 9.2).
package struct StreamEvent: Sendable, Hashable {
    /// Its type.
    package var type: String
    /// The last id that was seen; "" before the first.
    package var id: String
    /// Its data; lines are joined by line feeds.
    package var data: [UInt8]

    package init(type: String, id: String, data: [UInt8]) {
        self.type = type
        self.id = id
        self.data = data
    }
}
