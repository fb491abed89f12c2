// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// One page of a list of targets.
struct TargetListing {
    let records: [StatusRecord]
    /// How many targets match the filter in all; nil if not requested.
    let total: Int?
    /// The number of the last event before the first target was read: the list may be newer, never older.
    let sequence: UInt64
    /// The source's version at the same moment.
    let version: UInt64
    let network: StatusRecord
    /// The ordinal after which the list continues; nil at its end.
    let next: UInt64?

    /// Targets read under one lock while looking for matches of a filter.
    private static let stride = 512

    /// Lists targets.
    ///
    /// - Parameters:
    ///   - after: the ordinal after which the list begins.
    ///   - limit: the maximum number of targets.
    ///   - isCounted: whether ``total`` is needed, which with a filter examines every target.
    init(_ source: any TargetSource, filter: TargetFilter, after: UInt64, limit: Int, isCounted: Bool) {
        if filter.isEmpty {
            let page = source.page(after: after, limit: limit)
            self.init(page, page.records, total: page.count, isLast: page.isLast)
            return
        }
        var page = filter.ids.isEmpty ? nil : source.targets(filter.ids)
        var first = page
        var found: [StatusRecord] = []
        var total = 0
        var isLast = true
        var ordinal = isCounted ? 0 : after
        scan: while true {
            let current = page ?? source.page(after: ordinal, limit: Self.stride)
            first = first ?? current
            for record in current.records where filter.matches(record) {
                total += 1
                guard let ordinal = record.target?.ordinal, ordinal > after else { continue }
                if found.count < limit {
                    found.append(record)
                } else {
                    isLast = false
                    if !isCounted { break scan }
                }
            }
            guard !current.isLast, let last = current.records.last?.target?.ordinal else { break }
            ordinal = last
            page = nil
        }
        let origin = first ?? source.page(after: .max, limit: 0)
        self.init(origin, found, total: isCounted ? total : nil, isLast: isLast)
    }

    private init(_ page: TargetPage, _ records: [StatusRecord], total: Int?, isLast: Bool) {
        self.records = records
        self.total = total
        sequence = page.sequence
        version = page.version
        network = page.network
        next = isLast ? nil : records.last?.target?.ordinal
    }
}

/// The body of `/targets` and of `snapshot` events.
extension JSONWriter {
    mutating func targetListMembers(
        _ listing: TargetListing,
        total: Int,
        run: String,
        generatedAt: Timestamp,
        fields: FieldSelection = .all
    ) {
        key("targets")
        array(listing.records) { $0.target($1, fields: fields, detail: .brief) }
        listMembers(listing, total: total, run: run, generatedAt: generatedAt)
    }

    /// The members after the targets.
    mutating func listMembers(_ listing: TargetListing, total: Int, run: String, generatedAt: Timestamp) {
        member("total", total)
        member("sequence", listing.sequence)
        member("generated_at", generatedAt)
        if let next = listing.next { member("next", TargetCursor(run: run, ordinal: next).text) }
    }
}
