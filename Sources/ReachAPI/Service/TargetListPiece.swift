// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import JSON
import Monitoring
import Synchronization

/// A few targets of a list that stand together, as the list shows them.
final class TargetListPiece: Sendable {
    /// As many ordinals are in one piece: what changes is rendered with its neighbours, and so few are cheap.
    private static let span: UInt64 = 16

    private let records: [StatusRecord]
    let bytes: [UInt8]
    private let compressed = Mutex<GzipPiece?>(nil)

    private init(_ records: [StatusRecord], _ fields: FieldSelection) {
        self.records = records
        var writer = JSONWriter(reserving: records.count * 1_024)
        for (index, record) in records.enumerated() {
            if index > 0 { writer.raw(",") }
            writer.target(record, fields: fields, detail: .brief)
        }
        bytes = writer.bytes
    }

    /// The compressed form; nil when there is no memory.
    var gzip: GzipPiece? {
        if let known = compressed.withLock({ $0 }) { return known }
        let made = GzipPiece(bytes)
        compressed.withLock { $0 = made }
        return made
    }

    /// The pieces of a list. Those whose targets are the same records as before are taken as they are.
    ///
    /// - Parameters:
    ///   - records: in the order of their ordinals.
    ///   - known: pieces of the same fields.
    static func pieces(
        of records: [StatusRecord],
        _ fields: FieldSelection,
        reusing known: [TargetListPiece]
    ) -> [TargetListPiece] {
        var pieces: [TargetListPiece] = []
        pieces.reserveCapacity(records.count / Int(span) + 1)
        var known = known[...]
        var start = records.startIndex
        while start < records.endIndex {
            let place = place(of: records[start])
            let end = records[start...].firstIndex { Self.place(of: $0) != place } ?? records.endIndex
            while let first = known.first, first.place < place { known.removeFirst() }
            if let first = known.first, first.place == place, first.shows(records[start..<end]) {
                pieces.append(first)
            } else {
                pieces.append(TargetListPiece(Array(records[start..<end]), fields))
            }
            start = end
        }
        return pieces
    }

    private var place: UInt64 { records.first.map(Self.place) ?? 0 }

    private static func place(of record: StatusRecord) -> UInt64 { (record.target?.ordinal ?? 0) / span }

    private func shows(_ others: ArraySlice<StatusRecord>) -> Bool {
        records.count == others.count && zip(records, others).allSatisfy { $0 === $1 }
    }
}
