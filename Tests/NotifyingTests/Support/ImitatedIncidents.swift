// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import MonitoringTestSupport
import Synchronization

@testable import Notifying

/// Incidents as a test has them happen, with their log.
final class ImitatedIncidents: IncidentSource {
    private struct State {
        var book = IncidentBook()
        var log: [LogEntry] = []
        var groups: [String: String] = [:]

        mutating func settle() {
            for change in book.settle(epoch: ImitatedIncidents.epoch, after: UInt64(log.count)) {
                let id = EventID(epoch: ImitatedIncidents.epoch, sequence: UInt64(log.count) + 1)
                let incident = change.incident.id
                log.append(.incident(IncidentEntry(id: id, at: change.at, incident: incident, action: change.action)))
            }
        }
    }

    static let epoch = "e"
    private let state = Mutex(State())

    func incident(_ id: String, membersFrom position: Int, limit: Int) -> IncidentDetails? {
        state.withLock { $0.book.details(of: id, from: position, limit: limit) }
    }

    func incidents(_ query: IncidentQuery) -> IncidentPage { state.withLock { $0.book.page(query) } }

    func incidents(of target: String) -> [String] { state.withLock { $0.book.incidents(of: target) } }

    /// Has a target's declaration be another, and the log say so.
    func update(_ target: String, group: String, at milliseconds: Int64) {
        state.withLock { state in
            state.groups[target] = group
            let id = EventID(epoch: Self.epoch, sequence: UInt64(state.log.count) + 1)
            let moment = Timestamp(milliseconds: milliseconds)
            state.log.append(
                .update(StateChange(id: id, at: moment, target: target, group: group, from: .unknown, to: .unknown))
            )
        }
    }

    /// Has a target show another certificate.
    func certificate(
        _ target: String,
        _ previous: String,
        _ current: String,
        issuer: Bool = false,
        at milliseconds: Int64
    ) {
        let changed = issuer ? #"["fingerprint", "issuer"]"# : #"["fingerprint"]"#
        let data = #"""
            {"target": "\#(target)", "changed": \#(changed),
             "old": {"fingerprint_sha256": "\#(previous)"}, "new": {"fingerprint_sha256": "\#(current)"}}
            """#
        state.withLock { state in
            let event = RecordedEvent(
                sequence: UInt64(state.log.count) + 1,
                at: Timestamp(milliseconds: milliseconds),
                type: .certificate,
                target: target,
                data: Array(data.utf8)
            )
            state.log.append(LogEntry(event, epoch: Self.epoch))
        }
    }

    /// All that happened.
    var log: [LogEntry] { state.withLock { $0.log } }

    /// Declares a target; without a group it is gone.
    func declare(_ target: String, group: String?) { state.withLock { $0.groups[target] = group } }

    /// What a receiver reads.
    var forReceivers: ReceiverIncidents {
        ReceiverIncidents(
            source: self,
            target: { [self] id in
                state.withLock { $0.groups[id] }.map { TargetSettings.address(id, group: $0) }
            },
            includesRemoved: true
        )
    }

    /// Has targets change in one step.
    func happen(_ targets: [String], _ condition: IncidentObservation.Condition, at milliseconds: Int64) {
        let moment = Timestamp(milliseconds: milliseconds)
        state.withLock { state in
            for target in targets {
                let group = state.groups[target]
                state.book.take(
                    IncidentObservation(target: target, group: group, condition: condition, at: moment)
                )
            }
            state.settle()
        }
    }

    /// Has a person edit an incident.
    func edit(_ id: String, _ edit: IncidentEdit, at milliseconds: Int64) {
        state.withLock { state in
            try? state.book.apply(edit, to: id, at: Timestamp(milliseconds: milliseconds))
            state.settle()
        }
    }

    /// An event that is about no incident.
    func other(at milliseconds: Int64) {
        state.withLock { state in
            let id = EventID(epoch: Self.epoch, sequence: UInt64(state.log.count) + 1)
            state.log.append(.other(id: id, at: Timestamp(milliseconds: milliseconds)))
        }
    }

    /// Ends the process: what a store has of the incidents goes on.
    func restart() {
        state.withLock { state in
            let stored = state.book.stored.compactMap { stored in
                Incident(stored: stored.incident.stored, number: stored.incident.number).map {
                    StoredIncident($0, members: stored.members)
                }
            }
            state.book = IncidentBook()
            state.book.restore(stored)
        }
    }
}
