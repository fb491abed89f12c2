// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Monitoring
internal import PostgreSQL

/// The reports of one statement, with the numbers that make sending them again have no effect.
struct ReportBatch: Sendable, Hashable {
    /// A report and its number.
    struct Entry: Sendable, Hashable {
        let position: LocalPosition
        let report: Report
    }

    /// How many reports a statement has at most.
    static let limit = 4_096
    /// The size limit of a statement's reports, in bytes.
    static let sizeLimit = 1 << 20

    /// The entries; positions rise.
    var entries: [Entry] = []

    /// The highest number; nil without entries.
    var last: LocalPosition? { entries.last?.position }

    /// The parameters of ``ReportStatements/report`` behind the first three.
    ///
    /// - Parameter skew: what to add to this machine's time to get the database's.
    func columns(skew: Duration) -> [DatabaseValue] {
        func instant(_ local: Duration) -> Int64 { max(0, (local + skew).microseconds) }
        let observations = entries.map(\.report.observation)
        return [
            .integers(entries.map(\.position.stored)),
            .texts(entries.map(\.report.kind.rawValue)),
            .integers(entries.map { Int64($0.report.key.shard.placement) }),
            .integers(entries.map { Int64($0.report.key.shard.number) }),
            .texts(entries.map(\.report.key.location)),
            .integers(entries.map { Int64(clamping: $0.report.token) }),
            .texts(entries.map(\.report.target)),
            .texts(observations.map { $0?.state.rawValue }),
            .texts(observations.map { $0?.cause?.rawValue }),
            .texts(observations.map { $0?.reason?.rawValue }),
            .texts(observations.map { $0?.detail }),
            .integers(observations.map { $0.map { instant($0.since) } }),
            .integers(entries.map { instant($0.report.at) }),
            .texts(entries.map(\.report.data)),
        ]
    }
}
