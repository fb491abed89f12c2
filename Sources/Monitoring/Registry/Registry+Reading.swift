// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths
import Synchronization

extension Registry {
    /// The run of the event log: changes when the log was lost, which for a log in memory is at each start.
    package var epoch: String { state.withLock { $0.epoch } }

    /// Changes whenever ``epoch`` does; use it to invalidate caches.
    package var epochRevision: UInt64 { published.epochRevision }

    /// The id of the newest event: ``epoch`` and ``sequence`` of one moment.
    package var position: EventID {
        state.withLock { EventID(epoch: $0.epoch, sequence: $0.visibleHead) }
    }

    /// The number of the newest event that readers may see. Does not wait for a change that is under way.
    package var sequence: UInt64 { published.head }

    /// Another number after every change that a reader could see, also after those that are no events: newer results.
    package var version: UInt64 { published.version }

    /// How things stand in all. Any thread; constant cost.
    package var overview: RegistryOverview {
        state.withLock { state in
            RegistryOverview(
                sequence: state.visibleHead,
                epoch: state.epoch,
                version: state.version,
                network: state.network,
                resolvers: state.environment.resolvers,
                counts: state.counts,
                transitions: state.transitions,
                awaiting: state.awaiting,
                isReady: state.isReady
            )
        }
    }

    /// The record of a target; nil for an unknown id. Any thread.
    package func target(_ id: String) -> StatusRecord? {
        state.withLock { state in
            state.table.position(id: id).flatMap { state.table.places[$0].record }
        }
    }

    /// The targets of these ids, as far as they exist, in order. Any thread.
    package func targets(_ ids: Set<String>) -> TargetPage {
        state.withLock { state in
            TargetPage(
                records: ids.compactMap(state.table.position(id:)).sorted().compactMap {
                    state.table.places[$0].record
                },
                sequence: state.visibleHead,
                version: state.version,
                count: state.table.count,
                isLast: true,
                network: state.network
            )
        }
    }

    /// The targets behind an ordinal, in order. Any thread.
    ///
    /// - Parameters:
    ///   - ordinal: that of the last target seen; 0 to begin.
    ///   - limit: at most this many.
    package func page(after ordinal: UInt64, limit: Int) -> TargetPage {
        state.withLock { state in
            let places = state.table.places
            var records: [StatusRecord] = []
            records.reserveCapacity(min(limit, places.count))
            var position = ordinal == .max ? places.count : state.table.firstPosition(from: ordinal + 1)
            while position < places.count, records.count < limit {
                if let record = places[position].record { records.append(record) }
                position += 1
            }
            while position < places.count, places[position].record == nil { position += 1 }
            return TargetPage(
                records: records,
                sequence: state.visibleHead,
                version: state.version,
                count: state.table.count,
                isLast: position >= places.count,
                network: state.network
            )
        }
    }

    /// Events from the log: from memory, and what is older from where it is kept. Any thread; may wait for a disk then.
    ///
    /// - Parameters:
    ///   - sequence: the number of the last event seen.
    ///   - limit: at most this many.
    package func events(after sequence: UInt64, limit: Int) -> EventSlice<RecordedEvent> {
        let (slice, archive) = visible(after: sequence, limit: limit)
        guard let archive else { return rendered.events(of: slice) }
        return Self.fetchStored(after: sequence, limit: limit, from: archive, behind: slice.with([]))
    }

    /// The same for callers that must not wait for a disk.
    ///
    /// - Returns: The events; nil when memory does not have those that follow.
    package func heldEvents(after sequence: UInt64, limit: Int) -> EventSlice<RecordedEvent>? {
        let (slice, archive) = visible(after: sequence, limit: limit)
        return archive == nil ? rendered.events(of: slice) : nil
    }

    /// What memory has of the events that readers may see, with the records that they speak of. Any thread.
    package func changes(after sequence: UInt64, limit: Int) -> EventSlice<Event> {
        visible(after: sequence, limit: limit).slice
    }

    /// What memory has of them; and, when those that follow are older than that, where they are.
    private func visible(
        after sequence: UInt64,
        limit: Int
    ) -> (slice: EventSlice<Event>, archive: (any EventArchive)?) {
        let (slice, archive) = state.withLock { state in
            let head = state.visibleHead
            let oldest = state.log.oldest
            // The newest may not be seen yet.
            let passed = max(sequence, oldest - 1)
            let count = head > passed ? Int(clamping: head - passed) : 0
            let slice = EventSlice(
                events: count > 0 ? state.log.events(after: sequence, limit: min(limit, count)) : [],
                oldest: min(oldest, head + 1),
                head: head,
                epoch: state.epoch,
                numbering: state.numbering
            )
            return (slice, state.durable?.archive)
        }
        guard let archive, archive.oldest < slice.oldest else { return (slice, nil) }
        guard sequence < slice.oldest - 1, sequence < slice.head, limit > 0 else {
            return (slice.keeping(since: archive.oldest), nil)
        }
        return (slice, archive)
    }

    private static func fetchStored(
        after sequence: UInt64,
        limit: Int,
        from archive: any EventArchive,
        behind slice: EventSlice<RecordedEvent>
    ) -> EventSlice<RecordedEvent> {
        let recalled = archive.events(after: sequence, limit: min(limit, Int(clamping: slice.head - sequence)))
        guard let first = recalled.first, first.sequence < slice.oldest else { return slice }
        guard first.sequence == sequence + 1 else { return slice.keeping(since: first.sequence) }
        return EventSlice(
            events: recalled.filter { $0.sequence <= slice.head },
            oldest: min(archive.oldest, sequence + 1),
            head: slice.head,
            epoch: slice.epoch,
            numbering: slice.numbering
        )
    }
}

/// How things stand in all, taken in one step; its cost does not depend on the number of targets.
package struct RegistryOverview: Sendable {
    /// The number of the last event.
    package let sequence: UInt64
    /// The run of the event log.
    package let epoch: String
    /// What ``Registry/version`` was.
    package let version: UInt64
    /// The machine's own network.
    package let network: StatusRecord
    /// The machine's name servers, in order.
    package let resolvers: [ScopedAddress]
    /// How many targets are in each state.
    package let counts: StateCounts
    /// How often any target, also one that is gone, went over to each state.
    package let transitions: StateCounts
    /// How many targets, the network included, wait for their first verdict.
    package let awaiting: Int
    /// Whether every target of the first configuration had its first verdict; stays true from then on.
    package let isReady: Bool
}

/// A run of records in the order of their ordinals, taken in one step.
package struct TargetPage: Sendable {
    /// The records.
    package let records: [StatusRecord]
    /// The number of the last event before the page was taken.
    package let sequence: UInt64
    /// What ``Registry/version`` was before the page was taken.
    package let version: UInt64
    /// How many targets there are in all.
    package let count: Int
    /// Whether there are no targets behind the page.
    package let isLast: Bool
    /// The machine's own network at that moment.
    package let network: StatusRecord
}
