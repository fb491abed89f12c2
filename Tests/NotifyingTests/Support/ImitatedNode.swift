// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring
import Notifying
import Synchronization

/// A node's membership in an ``ImitatedFleet``, as a test says.
final class ImitatedNode: ReceiverAssignments, ReceiverSource {
    private struct State {
        var grants: [ReceiverGrant] = []
        var isLeaseValid = false
        var isCutOff = false
        var held: Set<String> = []
        var listeners: [@Sendable () -> Void] = []
    }

    let name: String
    let location: String
    private let fleet: ImitatedFleet
    private let log: ImitatedFleetLog
    private let state = Mutex(State())

    init(_ name: String, in location: String, of fleet: ImitatedFleet) {
        (self.name, self.location, self.fleet) = (name, location, fleet)
        log = ImitatedFleetLog(fleet)
    }

    // MARK: What a test says

    /// The lease is renewed.
    func renew() {
        let grants = fleet.row.node == name ? [ReceiverGrant(name: "hook", token: fleet.row.token)] : []
        change { ($0.grants, $0.isLeaseValid, $0.isCutOff) = (grants, true, false) }
    }

    /// The lease ends.
    func loseLease() { change { $0.isLeaseValid = false } }

    /// The lease ended a minute ago.
    func cutOff() { change { ($0.isLeaseValid, $0.isCutOff) = (false, true) } }

    func hold(_ targets: Set<String>) { state.withLock { $0.held = targets } }

    private func change(_ body: (inout sending State) -> Void) {
        let listeners = state.withLock { state in
            body(&state)
            return state.listeners
        }
        for listener in listeners { listener() }
    }

    // MARK: ReceiverAssignments

    var grants: [ReceiverGrant] { state.withLock { $0.grants } }
    var isLeaseValid: Bool { state.withLock { $0.isLeaseValid } }
    var isCutOff: Bool { state.withLock { $0.isCutOff } }
    var baseline: Int64 { 0 }
    func isHeld(_ target: String) -> Bool { state.withLock { $0.held.contains(target) } }
    func onChange(_ listener: @escaping @Sendable () -> Void) { state.withLock { $0.listeners.append(listener) } }
    func offer(_ offers: [ReceiverOffer]) {}

    func position(
        of grant: ReceiverGrant,
        completion: @escaping @Sendable (Result<ReceiverPosition?, FleetFault>) -> Void
    ) {
        completion(
            fleet.execute { [name] row, events in
                guard row.node == name, row.token == grant.token else { return nil }
                return ReceiverPosition(
                    consumed: row.consumed,
                    progress: row.progress,
                    changes: row.changes,
                    epoch: ImitatedFleet.epoch,
                    newest: UInt64(events.count)
                )
            }
        )
    }

    func store(
        _ offsets: [ReceiverProgress],
        epoch: String,
        completion: @escaping @Sendable (Result<Set<String>, FleetFault>) -> Void
    ) {
        completion(fleet.store(offsets, by: name))
    }

    // MARK: ReceiverSource

    var events: any EventSource { log }

    func recall(
        after sequence: UInt64,
        limit: Int,
        completion: @escaping @Sendable (EventSlice<RecordedEvent>?) -> Void
    ) {
        completion(log.heldEvents(after: sequence, limit: limit))
    }

    func targets(_ ids: [String], completion: @escaping @Sendable ([String: ReceiverTarget]?) -> Void) {
        guard fleet.isReachable else { return completion(nil) }
        let targets = ids.map { ($0, ReceiverTarget(name: nil, group: nil, tags: [:])) }
        completion(Dictionary(targets) { first, _ in first })
    }

    func incidents(
        _ selection: ReceiverIncident.Selection,
        completion: @escaping @Sendable ([ReceiverIncident]?) -> Void
    ) {
        completion(fleet.incidents(selection))
    }

    func problems(
        of targets: [String],
        through sequence: UInt64,
        completion: @escaping @Sendable ([RecordedEvent]?) -> Void
    ) {
        var newest: [String: RecordedEvent] = [:]
        for event in fleet.events where event.sequence <= sequence {
            guard let target = event.target, targets.contains(target) else { continue }
            newest[target] = event
        }
        completion(newest.values.filter { $0.transition?.to != .up }.sorted { $0.sequence < $1.sequence })
    }

    func currentProblems(completion: @escaping @Sendable ([RecordedEvent]?) -> Void) { completion([]) }
}
