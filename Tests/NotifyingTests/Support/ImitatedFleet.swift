// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring
import Synchronization

/// A fleet's database as receivers use it: the log, the targets, and one receiver, `hook`.
final class ImitatedFleet: Sendable {
    struct Row {
        var node: String?
        var token: Int64 = 1
        var consumed: UInt64 = 0
        var progress: String?
        var changes: String?
    }

    private struct State {
        var events: [RecordedEvent] = []
        var states: [String: TargetState] = [:]
        var book = IncidentBook()
        var row = Row()
        var isReachable = true
        var storings = 0
        var listeners: [@Sendable () -> Void] = []
    }

    static let epoch = "f1ee700000000000"
    private let state = Mutex(State())

    var row: Row { state.withLock { $0.row } }
    /// How often an offset was stored.
    var storings: Int { state.withLock { $0.storings } }
    var isReachable: Bool { state.withLock { $0.isReachable } }
    var events: [RecordedEvent] { state.withLock { $0.events } }

    func setReachable(_ isReachable: Bool) { state.withLock { $0.isReachable = isReachable } }

    /// The coordinator assigns the receiver.
    func assign(to node: String) {
        state.withLock { state in
            state.row.node = node
            state.row.token += 1
        }
    }

    /// Incidents as receivers read them.
    func incidents(_ selection: ReceiverIncident.Selection) -> [ReceiverIncident]? {
        state.withLock { state in
            guard state.isReachable else { return nil }
            return state.book.stored.filter { stored in
                selection.ids.contains(stored.incident.id) || selection.hasOpen && stored.incident.isOpen
                    || selection.since.map { stored.incident.closedAt ?? $0 >= $0 } ?? false
            }
            .map { stored in
                let target = ReceiverTarget(name: nil, group: nil, tags: [:])
                return ReceiverIncident(stored.incident, members: stored.members.map { .init($0, target) })
            }
        }
    }

    /// A target's verdict changes, and its incident with it.
    func change(_ target: String, to new: TargetState) {
        let listeners = state.withLock { state in
            let old = state.states.updateValue(new, forKey: target) ?? .up
            let transition = RecordedEvent.Transition(
                from: old,
                to: new,
                reason: new == .up ? nil : "connect_refused",
                cause: new == .up ? nil : .target
            )
            Self.append(.state, target, transition, to: &state)
            let moment = Timestamp(milliseconds: 1_795_000_000_000 + Int64(state.events.count) * 1_000)
            let condition: IncidentObservation.Condition =
                new == .up ? .up : .failing(IncidentCause(.target, target), .target, new)
            state.book.take(IncidentObservation(target: target, condition: condition, at: moment))
            for change in state.book.settle(epoch: Self.epoch, after: UInt64(state.events.count)) {
                let data = #"{"action": "\#(change.action.rawValue)", "incident": {"id": "\#(change.incident.id)"}}"#
                Self.append(.incident, nil, nil, data, to: &state)
            }
            return state.listeners
        }
        for listener in listeners { listener() }
    }

    private static func append(
        _ type: EventType,
        _ target: String?,
        _ transition: RecordedEvent.Transition?,
        _ data: String = "{}",
        to state: inout State
    ) {
        let sequence = UInt64(state.events.count) + 1
        let event = RecordedEvent(
            sequence: sequence,
            at: Timestamp(milliseconds: 1_795_000_000_000 + Int64(sequence) * 1_000),
            type: type,
            target: target,
            transition: transition,
            data: Array(data.utf8)
        )
        state.events.append(event)
    }

    func onEvents(_ listener: @escaping @Sendable () -> Void) { state.withLock { $0.listeners.append(listener) } }

    // MARK: Statements

    /// nil when the database is out of reach.
    func execute<Answer>(_ body: (inout Row, [RecordedEvent]) -> Answer) -> Result<Answer, FleetFault> {
        state.withLock { state in
            guard state.isReachable else { return .failure(FleetFault(code: "closed", message: "the test says so")) }
            return .success(body(&state.row, state.events))
        }
    }

    func store(_ offsets: [ReceiverProgress], by node: String) -> Result<Set<String>, FleetFault> {
        state.withLock { $0.storings += 1 }
        return execute { row, _ in
            var stored: Set<String> = []
            for offset in offsets where row.node == node && row.token == offset.grant.token {
                row.consumed = offset.consumed
                row.progress = offset.progress ?? row.progress
                row.changes = offset.changes
                stored.insert(offset.grant.name)
            }
            return stored
        }
    }
}

/// The fleet's log in memory.
final class ImitatedFleetLog: EventSource {
    private let fleet: ImitatedFleet

    init(_ fleet: ImitatedFleet) { self.fleet = fleet }

    var epoch: String { ImitatedFleet.epoch }
    var epochRevision: UInt64 { 1 }
    var numbering: UInt64 { 1 }
    var livePosition: UInt64 { 0 }
    var sequence: UInt64 { UInt64(fleet.events.count) }
    var position: EventID { EventID(epoch: epoch, sequence: sequence) }
    var extent: LogExtent { LogExtent(epoch: epoch, oldest: 1, newest: sequence) }

    func heldEvents(after sequence: UInt64, limit: Int) -> EventSlice<RecordedEvent>? {
        let events = fleet.events
        return EventSlice(
            events: Array(events.dropFirst(Int(sequence)).prefix(limit)),
            oldest: 1,
            head: UInt64(events.count),
            epoch: epoch,
            numbering: numbering
        )
    }

    func liveEvents(after position: UInt64, limit: Int) -> TransientSlice { TransientSlice(events: [], first: 1) }
    func beginReadingResults() {}
    func endReadingResults() {}
    func onEvents(_ listener: @escaping @Sendable () -> Void) { fleet.onEvents(listener) }
    func beginFollowing() -> UInt64 { 1 }
    func endFollowing() {}
    func isCurrent(since ticket: UInt64) -> Bool { true }
}
