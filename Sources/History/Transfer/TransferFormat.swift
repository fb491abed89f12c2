// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How an export is written; raw values are the command line's.
package enum TransferFormat: String, Sendable, Hashable, CaseIterable {
    /// A JSON object in each line; the first one says what the others are.
    case jsonl
    /// Comma-separated values (RFC 4180), one kind of record, with a line of names first.
    case csv
}
