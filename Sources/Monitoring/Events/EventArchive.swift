// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where events are read from that the registry does not hold in memory any more.
package protocol EventArchive: Sendable {
    /// The number of the oldest event that is kept. Any thread; no look at the disk.
    var oldest: UInt64 { get }

    /// At most `limit` events that follow a number, oldest first. The first may be later than the next one when some are
    /// missing, and between them none is. Empty also when it could not be read. Any thread; may wait for the disk.
    func events(after sequence: UInt64, limit: Int) -> [RecordedEvent]
}
