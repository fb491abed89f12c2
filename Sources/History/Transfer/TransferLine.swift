// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
package import Monitoring

/// The lines of an export, written and read.
enum TransferLine {
    /// The first line of JSON lines; another form gets another number.
    static let signature = #"{"reachd":"history","version":1}"#

    /// The first line of comma-separated values.
    static func columns(_ kind: TransferKind) -> String { TransferFields.names(kind).joined(separator: ",") }

    // MARK: JSON lines

    static func json(_ record: TransferRecord) -> [UInt8] {
        let kind = record.kind
        let fields = TransferFields(record)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("kind", kind.rawValue)
            for name in TransferFields.names(kind) {
                guard let value = fields.values[name] else { continue }
                writer.key(name)
                if TransferFields.structured.contains(name) || TransferFields.bare.contains(name) {
                    writer.value(rendered: value)
                } else {
                    writer.string(String(decoding: value, as: UTF8.self))
                }
            }
        }
        return writer.bytes
    }

    static func record(json line: [UInt8]) throws(TransferError) -> TransferRecord {
        let members = try members(line)
        guard let kind = try members["kind"].map(text).flatMap(TransferKind.init) else {
            throw TransferError("kind is missing or unknown")
        }
        var fields = TransferFields()
        let names = TransferFields.names(kind)
        for (name, value) in members where name != "kind" {
            guard names.contains(name) else { throw TransferError("\"\(name.prefix(32))\" is not known") }
            if TransferFields.structured.contains(name) || TransferFields.bare.contains(name) {
                fields.values[name] = Array(value)
            } else {
                fields.set(name, try text(value))
            }
        }
        return try fields.record(kind)
    }

    /// The members of an object that stands on one line, as what goes through here is sent in streams of lines.
    static func members(_ bytes: [UInt8]) throws(TransferError) -> [String: ArraySlice<UInt8>] {
        let limits = JSONLimits(isOneLine: true, checksSkipped: true)
        return try read { () throws(JSONError) in try JSONReader.members(of: bytes, limits: limits) }
    }

    /// The text that a value is.
    static func text(_ value: ArraySlice<UInt8>) throws(TransferError) -> String {
        try read { () throws(JSONError) in try JSONReader.text(of: value) }
    }

    /// The elements of the array that a value is.
    static func elements(_ value: [UInt8]) throws(TransferError) -> [ArraySlice<UInt8>] {
        try read { () throws(JSONError) in try JSONReader.elements(of: value) }
    }

    private static func read<Value>(_ body: () throws(JSONError) -> Value) throws(TransferError) -> Value {
        do throws(JSONError) {
            return try body()
        } catch {
            throw TransferError("\(error.message), at byte \(error.offset)")
        }
    }

    // MARK: Comma-separated values

    static func csv(_ record: TransferRecord) -> [UInt8] {
        let fields = TransferFields(record)
        var line: [UInt8] = []
        for (index, name) in TransferFields.names(record.kind).enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            if let value = fields.values[name] { append(value, to: &line) }
        }
        return line
    }

    static func record(csv line: [UInt8], _ kind: TransferKind) throws(TransferError) -> TransferRecord {
        let names = TransferFields.names(kind)
        let values = try Self.values(line)
        guard values.count == names.count else {
            throw TransferError("there are \(values.count) fields instead of \(names.count)")
        }
        var fields = TransferFields()
        for (name, value) in zip(names, values) {
            // Nothing and an empty text look alike; no field of ours is an empty text but a group.
            guard let value else { continue }
            guard TransferFields.structured.contains(name) || String(validating: value, as: UTF8.self) != nil else {
                throw TransferError("\(name) is not UTF-8")
            }
            fields.values[name] = value
        }
        return try fields.record(kind)
    }

    /// An empty text has quotation marks, so that it is not nothing.
    private static func append(_ value: [UInt8], to line: inout [UInt8]) {
        let quote = UInt8(ascii: "\"")
        let isPlain = !value.isEmpty && value.allSatisfy { $0 != quote && $0 != UInt8(ascii: ",") && $0 >= 0x20 }
        guard !isPlain else {
            line += value
            return
        }
        line.append(quote)
        for byte in value {
            if byte == quote { line.append(quote) }
            line.append(byte)
        }
        line.append(quote)
    }

    /// The fields of a line; nil for those of which there is nothing, not even quotation marks.
    private static func values(_ line: [UInt8]) throws(TransferError) -> [[UInt8]?] {
        let (quote, comma) = (UInt8(ascii: "\""), UInt8(ascii: ","))
        var values: [[UInt8]?] = []
        var position = 0
        while true {
            var value: [UInt8]?
            if position < line.count, line[position] == quote {
                var text: [UInt8] = []
                position += 1
                while true {
                    guard position < line.count else { throw TransferError("a quotation mark is missing") }
                    if line[position] == quote {
                        guard position + 1 < line.count, line[position + 1] == quote else { break }
                        position += 1
                    }
                    text.append(line[position])
                    position += 1
                }
                position += 1
                value = text
            } else {
                let end = line[position...].firstIndex(of: comma) ?? line.count
                if end > position { value = Array(line[position..<end]) }
                position = end
            }
            values.append(value)
            guard position < line.count else { return values }
            guard line[position] == comma, values.count < 64 else { throw TransferError("a comma is missing") }
            position += 1
        }
    }
}

extension TransferRecord {
    var kind: TransferKind {
        switch self {
        case .event: .event
        case .gap: .gap
        case .rollup: .rollup
        }
    }
}

/// One line of an export.
package enum TransferRecord: Sendable, Equatable {
    /// An event of the log.
    case event(RecordedEvent)
    /// Events that are missing in it.
    case gap(EventGap)
    /// A minute, an hour or a day of a target.
    case rollup(RollupResolution, RollupSegment)
}

/// The kinds of record; raw values stand in JSON lines.
enum TransferKind: String, CaseIterable {
    case event
    case gap
    case rollup
}

/// How an export is written; raw values are the command line's.
package enum TransferFormat: String, Sendable, Hashable, CaseIterable {
    /// A JSON object in each line; the first one says what the others are.
    case jsonl
    /// Comma-separated values (RFC 4180), one kind of record, with a line of names first.
    case csv
}
