// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How much of the event log would outlive the process.
struct DurableLog {
    /// The number of the newest event that is safe.
    var head: UInt64
    /// Where events are read from that memory does not hold.
    let archive: any EventArchive
    /// Which promise this is: whoever made an earlier one has no say any more.
    let term: UInt64
}
