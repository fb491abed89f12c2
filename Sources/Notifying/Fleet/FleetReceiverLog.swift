// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import LinuxIO
import Monitoring

/// The fleet's log for receivers: events, their incidents and the names of their targets are read from the database before a receiver
/// takes them, so that nothing waits. On the loop's thread.
final class FleetReceiverLog: ReceiverLog {
    private enum Part {
        case loading
        case ready(EventSlice<LogEntry>)
    }

    /// How many parts of the log are kept for receivers that are at the same place.
    private static let capacity = 32

    private let loop: EventLoop
    private let reader: any ReceiverSource
    private let incidents: FleetIncidentCopy
    private var log: any EventSource { reader.events }
    /// Parts of the log by the number that they follow.
    private var parts: [UInt64: Part] = [:]
    /// The numbers of those that are ready, oldest first.
    private var order: [UInt64] = []
    /// The log's numbering that the parts are of.
    private var numbering: UInt64 = 0
    private var lastProblems: [StateChange] = []
    /// The time of the newest event that was read.
    private var latest = Timestamp(milliseconds: 0)
    /// Called when a part is ready.
    var changed: () -> Void = {}

    /// - Parameter incidents: takes the incidents that events tell of.
    init(loop: EventLoop, reader: any ReceiverSource, incidents: FleetIncidentCopy) {
        self.loop = loop
        self.reader = reader
        self.incidents = incidents
    }

    var sequence: UInt64 { log.sequence }

    func entries(after sequence: UInt64, limit: Int) -> EventSlice<LogEntry> {
        if log.numbering != numbering {
            numbering = log.numbering
            (parts, order) = ([:], [])
        }
        if let part = parts[sequence] {
            if case .ready(let slice) = part { return current(slice) }
        } else if let held = log.heldEvents(after: sequence, limit: limit),
            held.events.allSatisfy({ $0.transition == nil && $0.type != .incident && $0.type != .target })
        {
            return held.with(held.events.map { LogEntry($0, epoch: held.epoch) })
        } else {
            prepare(after: sequence, limit: limit)
        }
        return EventSlice(events: [], oldest: 1, head: log.sequence, epoch: log.epoch, numbering: numbering)
    }

    /// For the answers of other threads.
    private var confined: ThreadConfined<FleetReceiverLog> { ThreadConfined(self, to: loop) }

    /// What was wrong when events turned out to be lost.
    func problems() -> [StateChange] { lastProblems }

    /// The log has gone on since a part was read.
    private func current(_ slice: EventSlice<LogEntry>) -> EventSlice<LogEntry> {
        EventSlice(
            events: slice.events,
            oldest: slice.oldest,
            head: max(slice.head, log.sequence),
            epoch: slice.epoch,
            numbering: slice.numbering,
            through: slice.through
        )
    }

    // MARK: Reading

    private func prepare(after sequence: UInt64, limit: Int) {
        parts[sequence] = .loading
        if let held = log.heldEvents(after: sequence, limit: limit) { return follow(held, after: sequence) }
        reader.recall(after: sequence, limit: limit) { [loop, confined] slice in
            loop.execute { confined.value.recalled(slice, after: sequence) }
        }
    }

    private func recalled(_ slice: EventSlice<RecordedEvent>?, after sequence: UInt64) {
        guard let slice else { return fail(sequence) }
        guard slice.oldest > sequence + 1 else { return follow(slice, after: sequence) }
        reader.currentProblems { [loop, confined] events in
            loop.execute {
                let log = confined.value
                guard let events else { return log.fail(sequence) }
                log.lastProblems = events.compactMap { StateChange($0, epoch: slice.epoch) }
                log.read(log.incidents.wholeSelection([], since: log.latest), slice, after: sequence)
            }
        }
    }

    /// Reads the incidents that events tell of, or whose targets are declared otherwise.
    private func follow(_ slice: EventSlice<RecordedEvent>, after sequence: UInt64) {
        let ids = slice.events.compactMap { IncidentEntry($0, epoch: slice.epoch)?.incident }
        let targets = slice.events.filter { $0.type == .target }.compactMap(\.target)
        let selection = incidents.selection(ids, targets: targets)
        guard !selection.ids.isEmpty else { return name(slice, after: sequence) }
        read(selection, slice, after: sequence)
    }

    private func read(
        _ selection: ReceiverIncident.Selection,
        _ slice: EventSlice<RecordedEvent>,
        after sequence: UInt64
    ) {
        reader.incidents(selection) { [loop, confined] found in
            loop.execute {
                let log = confined.value
                guard let found else { return log.fail(sequence) }
                log.incidents.take(found, of: selection)
                log.name(slice, after: sequence)
            }
        }
    }

    /// Looks up the names of targets: events have only ids.
    private func name(_ slice: EventSlice<RecordedEvent>, after sequence: UInt64) {
        let ids = Set(slice.events.filter { $0.transition != nil }.compactMap(\.target))
        guard !ids.isEmpty else { return finish(slice, [:], after: sequence) }
        reader.targets(ids.sorted()) { [loop, confined] targets in
            loop.execute {
                guard let targets else { return confined.value.fail(sequence) }
                confined.value.finish(slice, targets, after: sequence)
            }
        }
    }

    private func finish(
        _ slice: EventSlice<RecordedEvent>,
        _ targets: [String: ReceiverTarget],
        after sequence: UInt64
    ) {
        guard slice.numbering == numbering else { return }
        latest = slice.events.last?.at ?? latest
        let entries = slice.events.map { event in LogEntry(event, epoch: slice.epoch) { targets[$0]?.name } }
        parts[sequence] = .ready(slice.with(entries))
        order.append(sequence)
        if order.count > Self.capacity { parts[order.removeFirst()] = nil }
        changed()
    }

    /// The database could not be read. The next look at the log that succeeds wakes the receivers.
    private func fail(_ sequence: UInt64) {
        if case .loading? = parts[sequence] { parts[sequence] = nil }
    }
}
