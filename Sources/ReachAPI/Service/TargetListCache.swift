// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import JSON
import Monitoring
import Synchronization

/// The lists that were asked for lately: while nothing changes they are answered as they are, and otherwise only what
/// changed is rendered, and compressed, again.
final class TargetListCache: Sendable {
    /// Dashboards ask the same again and again, and there are few kinds of them.
    private static let entryLimit = 4
    /// A list that is longer is made anew each time.
    private static let sizeLimit = 32 << 20

    private struct Entry {
        let query: TargetQuery
        let version: UInt64
        let answer: PreparedAnswer
        let pieces: [TargetListPiece]
    }

    /// The one asked for last is the last.
    private let entries = Mutex<[Entry]>([])

    /// The answer to a query.
    func answer(to query: TargetQuery, from registry: Registry, at time: () -> Timestamp) -> PreparedAnswer {
        let known = entries.withLock { entries in
            entries.firstIndex { $0.query == query }.map { index in
                let entry = entries.remove(at: index)
                entries.append(entry)
                return entry
            }
        }
        if let known, known.version == registry.version { return known.answer }
        let listing = TargetListing(
            registry,
            filter: query.filter,
            after: query.after,
            limit: query.limit,
            isCounted: true
        )
        let pieces = TargetListPiece.pieces(of: listing.records, query.fields, reusing: known?.pieces ?? [])
        let answer = Self.answer(listing, pieces, run: registry.run, at: time())
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
        _ pieces: [TargetListPiece],
        run: String,
        at time: Timestamp
    ) -> PreparedAnswer {
        var writer = JSONWriter()
        writer.object { $0.listMembers(listing, total: listing.total ?? 0, run: run, generatedAt: time) }
        // Behind the targets comes what follows them in the same object.
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
            guard let head = GzipPiece(head), let comma = GzipPiece(Array(",".utf8)), let tail = GzipPiece(tail) else {
                return nil
            }
            let parts = pieces.compactMap(\.gzip)
            guard parts.count == pieces.count else { return nil }
            return GzipPiece.body(
                of: [head] + parts.enumerated().flatMap { $0 == 0 ? [$1] : [comma, $1] } + [tail]
            )
        }
        let validator = PreparedAnswer.validator(run: run, version: listing.version)
        return PreparedAnswer(body, compressed, type: "application/json", validator: validator)
    }

    private static let head = Array(#"{"targets":["#.utf8)
}
