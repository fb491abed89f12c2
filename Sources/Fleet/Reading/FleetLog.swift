// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO
package import Monitoring
import Synchronization

/// The fleet's log as readers on this node see it: the newest events in memory, while there is a reader; earlier ones are read from
/// the database.
package final class FleetLog: EventSource {
    private struct State {
        var epoch = ""
        var revision: UInt64 = 0
        /// The number of the newest event that was read.
        var newest: UInt64 = 0
        var oldest: UInt64 = 1
        /// Those after `start` are complete.
        var start: UInt64 = 0
        var events: [RecordedEvent] = []
        var bytes = 0
        var readers = 0
        /// The number of looks that began and ended.
        var begun: UInt64 = 0
        var ended: UInt64 = 0
        var listeners: [@Sendable () -> Void] = []
    }

    private static let maximumCount = 16_384
    private static let maximumBytes = 8 << 20

    private let loop: EventLoop
    private let follower: ThreadConfined<LogFollower>
    private let state = Mutex(State())

    init(loop: EventLoop, follower: ThreadConfined<LogFollower>) {
        self.loop = loop
        self.follower = follower
    }

    // MARK: Reading

    package var epoch: String { state.withLock { $0.epoch } }

    package var epochRevision: UInt64 { state.withLock { $0.revision } }

    package var position: EventID { state.withLock { EventID(epoch: $0.epoch, sequence: $0.newest) } }

    package var sequence: UInt64 { state.withLock { $0.newest } }

    /// Another epoch is another log.
    package var numbering: UInt64 { state.withLock { $0.revision } }

    package var extent: LogExtent {
        state.withLock { LogExtent(epoch: $0.epoch, oldest: $0.oldest, newest: $0.newest) }
    }

    package func heldEvents(after sequence: UInt64, limit: Int) -> EventSlice<RecordedEvent>? {
        state.withLock { state in
            guard sequence >= state.start else { return nil }
            let first = state.events.partitionIndex { $0.sequence > sequence }
            let events = Array(state.events[first...].prefix(limit))
            let isLast = first + events.count == state.events.count
            return slice(state, events, through: isLast ? state.newest : events.last?.sequence ?? sequence)
        }
    }

    /// Reads events from the database.
    ///
    /// - Parameter completion: called once, on the reader's thread; with nil when the database cannot be read.
    package func recall(
        after sequence: UInt64,
        limit: Int,
        completion: @escaping @Sendable (EventSlice<RecordedEvent>?) -> Void
    ) {
        let isAccepted = loop.execute { [self] in
            follower.value.recall(after: sequence, limit: limit) { [self] page in
                completion(
                    state.withLock { state in
                        // The numbers of another epoch are of another log, which the next look begins.
                        guard let page, page.epoch == state.epoch else { return nil }
                        return EventSlice(
                            events: page.events,
                            oldest: page.oldest,
                            head: page.newest,
                            epoch: page.epoch,
                            numbering: state.revision,
                            through: page.through
                        )
                    }
                )
            }
        }
        if !isAccepted { completion(nil) }
    }

    /// A fleet has no transient events: probe results belong to nodes.
    package var livePosition: UInt64 { 0 }

    package func liveEvents(after position: UInt64, limit: Int) -> TransientSlice {
        TransientSlice(events: [], first: 1)
    }

    package func beginReadingResults() {}

    package func endReadingResults() {}

    package func onEvents(_ listener: @escaping @Sendable () -> Void) {
        state.withLock { $0.listeners.append(listener) }
    }

    package func beginFollowing() -> UInt64 {
        let ticket = state.withLock { state in
            state.readers += 1
            return state.begun + 1
        }
        loop.execute { [follower] in follower.value.follow() }
        return ticket
    }

    package func endFollowing() {
        state.withLock { $0.readers -= 1 }
    }

    package func isCurrent(since ticket: UInt64) -> Bool { state.withLock { $0.ended >= ticket } }

    // MARK: Following; on the loop's thread

    /// Whether there is a reader.
    var hasReaders: Bool { state.withLock { $0.readers > 0 } }

    /// The number of the newest event in memory.
    func beginLook() -> (number: UInt64, after: UInt64) {
        state.withLock { state in
            state.begun += 1
            return (state.begun, state.newest)
        }
    }

    /// Takes what a look found.
    ///
    /// - Parameter isContinued: whether the events follow those in memory; otherwise those in memory are forgotten.
    func take(_ page: LogPage, of look: UInt64, isContinued: Bool) {
        let listeners = state.withLock { state in
            // Behind a page that is not the last, newer events wait.
            if !isContinued || page.through == page.newest { state.ended = look }
            state.oldest = page.oldest
            if page.epoch != state.epoch || !isContinued {
                if page.epoch != state.epoch { state.revision += 1 }
                state.epoch = page.epoch
                (state.events, state.bytes) = ([], 0)
                (state.start, state.newest) = (page.newest, page.newest)
            } else {
                state.events += page.events
                state.bytes += page.events.reduce(0) { $0 + $1.cost }
                state.newest = max(state.newest, page.through)
                Self.trim(&state)
            }
            return state.listeners
        }
        for listener in listeners { listener() }
    }

    /// Ends following: nothing is read afterwards.
    func end() { follower.value.end() }

    private static func trim(_ state: inout State) {
        var count = 0
        while state.events.count - count > maximumCount || state.bytes > maximumBytes {
            state.bytes -= state.events[count].cost
            state.start = state.events[count].sequence
            count += 1
        }
        // Moving the rest costs the more the more often it is done.
        if count > 0 { state.events.removeFirst(count) }
    }

    private func slice(_ state: State, _ events: [RecordedEvent], through last: UInt64) -> EventSlice<RecordedEvent> {
        EventSlice(
            events: events,
            oldest: state.oldest,
            head: state.newest,
            epoch: state.epoch,
            numbering: state.revision,
            through: last
        )
    }
}

extension Array {
    /// The index of the first element that fulfils a condition which all later ones fulfil, too.
    fileprivate func partitionIndex(_ condition: (Element) -> Bool) -> Int {
        var range = startIndex..<endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = condition(self[middle]) ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}
