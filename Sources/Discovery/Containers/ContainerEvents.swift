// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// Reads the engine's stream of events (`GET /events`): JSON objects, one after the other.
struct ContainerEvents {
    /// The longest event, in bytes.
    static let limit = 1 << 20

    /// Actions that change no target; health checks cause many of them.
    private static let ignored: Set = [
        "attach", "commit", "copy", "detach", "export", "mount", "resize", "sync", "top", "unmount",
    ]

    private let begin: Int64
    private var bytes: [UInt8] = []
    private var depth = 0
    private var isInText = false
    private var isEscaped = false

    /// Begins to read a stream.
    ///
    /// - Parameter begin: Earlier events, in nanoseconds since 1970, are passed over: a list has what they changed.
    init(after begin: Int64) {
        self.begin = begin
    }

    /// Reads a part of the stream.
    ///
    /// - Returns: Whether an event in it may have changed a target.
    /// - Throws: ``SourceError`` for what is not JSON, and for an event that is too long.
    mutating func read(_ piece: [UInt8]) throws(SourceError) -> Bool {
        var isChange = false
        for byte in piece {
            // Engines end an event with a line feed, some do not: the braces count.
            guard depth > 0 || byte == UInt8(ascii: "{") else {
                guard [0x20, 0x09, 0x0A, 0x0D].contains(byte) else {
                    throw SourceError(.malformed, "the stream of events is not JSON")
                }
                continue
            }
            bytes.append(byte)
            guard bytes.count <= Self.limit else { throw SourceError(.tooLarge, "an event is too long") }
            follow(byte)
            guard depth == 0 else { continue }
            let event = bytes
            bytes.removeAll(keepingCapacity: true)
            if try self.isChange(event) { isChange = true }
        }
        return isChange
    }

    private mutating func follow(_ byte: UInt8) {
        if isInText {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInText = false
            }
            return
        }
        switch byte {
        case UInt8(ascii: "\""): isInText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
    }

    private func isChange(_ bytes: [UInt8]) throws(SourceError) -> Bool {
        var (type, action, time) = ("", "", Int64.max)
        do throws(JSONError) {
            var reader = JSONReader(bytes)
            try reader.beginObject()
            while let name = try reader.nextName() {
                switch (name, try reader.kind()) {
                case ("Type", .string): type = try reader.string()
                case ("Action", .string): action = try reader.string()
                case ("timeNano", .number): time = Int64(try reader.number()) ?? .max
                default: _ = try reader.skip()
                }
            }
        } catch {
            throw SourceError(.malformed, "an event cannot be read: \(error)")
        }
        guard time >= begin, type == "container" || type == "network" else { return false }
        // Actions may have details: `exec_create: sh`, `health_status: healthy`.
        let word = action.prefix { $0 != ":" }
        return !word.hasPrefix("exec") && !word.hasPrefix("health") && !Self.ignored.contains(String(word))
    }
}
