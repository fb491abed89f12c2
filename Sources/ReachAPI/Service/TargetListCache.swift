// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import JSON
import Monitoring
import Synchronization

/// A cache of recent lists: unchanged lists are reused, and otherwise only changed parts are rendered and compressed
/// again.
final class TargetListCache: Sendable {
    /// Dashboards repeat the same requests, and there are few kinds of them.
    private static let entryLimit = 4
    /// The maximum size of a list in the cache.
    private static let sizeLimit = 32 << 20

    private struct Entry {
        let query: TargetQuery
        let version: UInt64
        let answer: PreparedAnswer
        let pieces: [TargetListChunk]
    }

    /// In order of use, the most recent last.
    private let entries = Mutex<[Entry]>([])

    /// The answer to a query.
    func answer(to query: TargetQuery, from source: any TargetSource, at time: () -> Timestamp) -> PreparedAnswer {
        let known = entries.withLock { entries in
            entries.firstIndex { $0.query == query }.map { index in
                let entry = entries.remove(at: index)
                entries.append(entry)
                return entry
            }
        }
        if let known, known.version == source.version { return known.answer }
        let listing = TargetListing(
            source,
            filter: query.filter,
            after: query.after,
            limit: query.limit,
            isCounted: true
        )
        let pieces = TargetListChunk.pieces(of: listing.records, query.fields, reusing: known?.pieces ?? [])
        let answer = Self.answer(listing, pieces, run: source.run, at: time())
        if answer.body.count <= Self.sizeLimit {
            let entry = Entry(query: query, version: listing.version, answer: answer, pieces: pieces)
            entries.withLock { entries in
                entries.removeAll { $0.query == query }
                entries.append(entry)
                if entries.count > Self.entryLimit { entries.removeFirst() }
            }
        }
        return answer
    }

    private static func answer(
        _ listing: TargetListing,
        _ pieces: [TargetListChunk],
        run: String,
        at time: Timestamp
    ) -> PreparedAnswer {
        var writer = JSONWriter()
        writer.object { $0.listMembers(listing, total: listing.total ?? 0, run: run, generatedAt: time) }
        // After the targets follow the other members of the object.
        let tail = Array("],".utf8) + writer.bytes.dropFirst()
        let parts = pieces.enumerated().flatMap { $0 == 0 ? [$1.bytes] : [Array(",".utf8), $1.bytes] }
        let all = [head] + parts + [tail]
        let body = unsafe PreparedBody(capacity: all.reduce(0) { $0 + $1.count }) { room in
            var count = 0
            for part in all {
                unsafe UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyBytes(from: part)
                count += part.count
            }
            return count
        }
        let compressed = CompressedBody {
            guard let head = GzipChunk(head), let comma = GzipChunk(Array(",".utf8)), let tail = GzipChunk(tail) else {
                return nil
            }
            let parts = pieces.compactMap(\.gzip)
            guard parts.count == pieces.count else { return nil }
            return GzipChunk.body(
                of: [head] + parts.enumerated().flatMap { $0 == 0 ? [$1] : [comma, $1] } + [tail]
            )
        }
        let validator = PreparedAnswer.validator(run: run, version: listing.version)
        return PreparedAnswer(body, compressed, type: "application/json", validator: validator)
    }

    private static let head = Array(#"{"targets":["#.utf8)
}

/// A few consecutive targets of a list, as rendered.
final class TargetListChunk: Sendable {
    /// The ordinals of one chunk: a change renders its neighbours again, and a few are cheap.
    private static let span: UInt64 = 16

    private let records: [StatusRecord]
    let bytes: [UInt8]
    private let compressed = Mutex<GzipChunk?>(nil)

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
    var gzip: GzipChunk? {
        if let known = compressed.withLock({ $0 }) { return known }
        let made = GzipChunk(bytes)
        compressed.withLock { $0 = made }
        return made
    }

    /// The chunks of a list. Those whose records are unchanged are reused.
    ///
    /// - Parameters:
    ///   - records: in the order of their ordinals.
    ///   - known: chunks of the same fields.
    static func pieces(
        of records: [StatusRecord],
        _ fields: FieldSelection,
        reusing known: [TargetListChunk]
    ) -> [TargetListChunk] {
        var pieces: [TargetListChunk] = []
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
                pieces.append(TargetListChunk(Array(records[start..<end]), fields))
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

/// A cache of recent answers for single targets, in two halves: when the young half is full it becomes the old one, and
/// answers unused since are dropped.
final class TargetCache: Sendable {
    private struct Entry {
        let record: StatusRecord
        let nextProbe: Timestamp?
        let answer: PreparedAnswer

        func isOf(_ record: StatusRecord, _ nextProbe: Timestamp?) -> Bool {
            self.record === record && self.nextProbe == nextProbe
        }
    }

    private struct SplitTargets {
        var young: [String: Entry] = [:]
        var old: [String: Entry] = [:]
    }

    /// Answers in one half: some 500 kB, or some 3 MB for targets with certificates.
    static let halfLength = 512

    private let halves = Mutex(SplitTargets())

    /// The answer for a record and the time of the next probe, made if the cached one is of others.
    func answer(
        for record: StatusRecord,
        nextProbe: Timestamp? = nil,
        id: String,
        make: () -> PreparedAnswer
    ) -> PreparedAnswer {
        let found = halves.withLock { halves -> PreparedAnswer? in
            if let entry = halves.young[id] { return entry.isOf(record, nextProbe) ? entry.answer : nil }
            guard let entry = halves.old[id], entry.isOf(record, nextProbe) else { return nil }
            Self.insert(entry, id: id, &halves)
            return entry.answer
        }
        if let found { return found }
        let answer = make()
        let entry = Entry(record: record, nextProbe: nextProbe, answer: answer)
        halves.withLock { Self.insert(entry, id: id, &$0) }
        return answer
    }

    private static func insert(_ entry: Entry, id: String, _ halves: inout SplitTargets) {
        if halves.young.count >= halfLength, halves.young[id] == nil {
            halves.old = halves.young
            halves.young = [:]
        }
        halves.young[id] = entry
    }
}
