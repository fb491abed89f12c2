// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import JSON
internal import LinuxIO
internal import Monitoring

/// The lines of a file of cached assignments, one after the other, with the checksum of those that were read.
struct CachedLines {
    private let bytes: [UInt8]
    private var start = 0
    private var number = 0
    private var checksum = LineChecksum()

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// What is wrong with the line that was read last.
    var damaged: AssignmentCacheError { AssignmentCacheError(.damaged, "line \(number) is not as reachd writes it") }

    /// Reads the next line.
    mutating func next<Value>(
        _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(AssignmentCacheError) -> Value {
        let line = try nextLine()
        checksum.add(line)
        return try value(of: line, read)
    }

    /// Reads the last line, which has the checksum of those before.
    mutating func end() throws(AssignmentCacheError) {
        let expected = checksum.text
        let line = try nextLine()
        let found = try value(of: line) { reader throws(JSONError) -> String in
            try reader.beginObject()
            guard try reader.nextName() == "checksum" else { throw reader.fault("the checksum is missing") }
            let text = try reader.string()
            guard try reader.nextName() == nil else { throw reader.fault("there are too many members") }
            return text
        }
        guard found == expected, start == bytes.count else {
            throw AssignmentCacheError(.damaged, "the checksum is not that of the contents")
        }
    }

    private mutating func nextLine() throws(AssignmentCacheError) -> [UInt8] {
        number += 1
        let rest = bytes[start...].prefix(CachedAssignments.lineLimit)
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            throw AssignmentCacheError(.damaged, "line \(number) is missing, incomplete or too long")
        }
        defer { start = end + 1 }
        return Array(bytes[start..<end])
    }

    private func value<Value>(
        of line: [UInt8],
        _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(AssignmentCacheError) -> Value {
        var reader = JSONReader(line, limits: JSONLimits(depth: 8, isOneLine: true, checksSkipped: true))
        do throws(JSONError) {
            let value = try read(&reader)
            try reader.end()
            return value
        } catch {
            throw AssignmentCacheError(.damaged, "line \(number), column \(error.column): \(error.message)")
        }
    }
}

/// A hash of lines and their order, against damage and not against an attacker.
struct LineChecksum: Sendable {
    private var hash: UInt64 = 0

    mutating func add(_ line: [UInt8]) { hash = StableHash.hash(line, seed: hash) }

    /// 16 hexadecimal digits.
    var text: String {
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
