// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// What `/targets` answers and `snapshot` events carry.
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

    /// What follows the targets.
    mutating func listMembers(_ listing: TargetListing, total: Int, run: String, generatedAt: Timestamp) {
        member("total", total)
        member("sequence", listing.sequence)
        member("generated_at", generatedAt)
        if let next = listing.next { member("next", TargetCursor(run: run, ordinal: next).text) }
    }
}
