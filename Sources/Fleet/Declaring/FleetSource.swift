// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Monitoring
internal import PostgreSQL

/// What the database stores about the newest application of a source.
package struct FleetSource: Sendable, Hashable {
    /// The version of the document; nil for one without a version.
    package let version: Int64?
    /// The digest of the document.
    package let digest: String
    /// The host that applied it.
    package let host: String
    /// When it was applied, by the database's clock.
    package let appliedAt: Duration

    /// Reads four columns; nil when the source was never applied.
    init?(_ rows: DatabaseRows, _ row: Int, _ column: Int) throws(DatabaseError) {
        guard let digest = try rows.optionalText(row, column + 1) else { return nil }
        self.digest = digest
        version = try rows.optionalInteger(row, column)
        host = try rows.text(row, column + 2)
        appliedAt = try rows.instant(row, column + 3)
    }

    /// Where and when it was applied, in words.
    package var place: String { "by \(host) at \(Timestamp(appliedAt))" }
}
