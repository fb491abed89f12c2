// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The kinds of record; raw values stand in JSON lines.
enum TransferKind: String, CaseIterable {
    case event
    case gap
    case rollup
}
