// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
        var line = Array(#"{"kind":""#.utf8) + Array(kind.rawValue.utf8) + [UInt8(ascii: "\"")]
        for name in TransferFields.names(kind) {
            guard let value = fields.values[name] else { continue }
            line.append(UInt8(ascii: ","))
            line.append(json: name)
            line.append(UInt8(ascii: ":"))
            if TransferFields.structured.contains(name) || TransferFields.bare.contains(name) {
                line += value
            } else {
                line.append(json: String(decoding: value, as: UTF8.self))
            }
        }
        line.append(UInt8(ascii: "}"))
        return line
    }

    static func record(json line: [UInt8]) throws(TransferError) -> TransferRecord {
        let members = try JSONScanner.members(line)
        guard let kind = try members["kind"].map(JSONScanner.text).flatMap(TransferKind.init) else {
            throw TransferError("kind is missing or not known")
        }
        var fields = TransferFields()
        let names = TransferFields.names(kind)
        for (name, value) in members where name != "kind" {
            guard names.contains(name) else { throw TransferError("\"\(name.prefix(32))\" is not known") }
            if TransferFields.structured.contains(name) || TransferFields.bare.contains(name) {
                fields.values[name] = value
            } else {
                fields.set(name, try JSONScanner.text(value))
            }
        }
        return try fields.record(kind)
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
