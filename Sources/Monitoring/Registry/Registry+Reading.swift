// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

extension Registry {
    /// The number of the newest event; reads one atomic, takes no lock.
    public var sequence: UInt64 { publishedHead.load(ordering: .acquiring) }

    /// Another number after every change that a reader could see, also after those that are no events: newer results.
    public var version: UInt64 { publishedVersion.load(ordering: .acquiring) }

    /// How things stand in all. Any thread; constant cost.
    public var overview: RegistryOverview {
        state.withLock { state in
            RegistryOverview(
                sequence: state.log.head,
                version: state.version,
                network: state.network,
                counts: state.counts,
                transitions: state.transitions,
                awaiting: state.awaiting,
                isReady: state.isReady
            )
        }
    }

    /// What is known of one target; nil when there is none of that id. Any thread.
    public func target(_ id: String) -> StatusRecord? {
        state.withLock { state in
            state.table.position(id: id).flatMap { state.table.places[$0].record }
        }
    }

    /// The targets of these ids, as far as they exist, in order. Any thread.
    public func targets(_ ids: Set<String>) -> TargetPage {
        state.withLock { state in
            TargetPage(
                records: ids.compactMap(state.table.position(id:)).sorted().compactMap {
                    state.table.places[$0].record
                },
                sequence: state.log.head,
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
    public func page(after ordinal: UInt64, limit: Int) -> TargetPage {
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
                sequence: state.log.head,
                version: state.version,
                count: state.table.count,
                isLast: position >= places.count,
                network: state.network
            )
        }
    }

    /// Events from the log. Any thread.
    ///
    /// - Parameters:
    ///   - sequence: the number of the last event seen.
    ///   - limit: at most this many.
    public func events(after sequence: UInt64, limit: Int) -> EventSlice {
        state.withLock { state in
            EventSlice(
                events: state.log.events(after: sequence, limit: limit),
                oldest: state.log.oldest,
                head: state.log.head
            )
        }
    }
}
