// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Diagnosis
import LinuxIO
import NetworkPaths
import Probing
import Synchronization

/// Incidents: they follow the state events under the same lock, and each has its own events, one for each change of the registry.
extension Registry {
    /// Begins to keep incidents, with those of earlier runs. Before the first target is declared; later only for a store that could
    /// not be read before, whose incidents are added. Any thread but the engine's.
    package func beginIncidents(_ stored: [StoredIncident] = []) {
        let now = clock.now()
        change { state in
            state.incidents = state.incidents ?? IncidentBook()
            state.incidents?.restore(stored)
            if state.isDeclared { state.reconcileIncidents(at: now) }
            state.bumpRevision()
        }
        notifyListeners()
    }

    /// Whether ``beginIncidents(_:)`` was called. Any thread.
    package var keepsIncidents: Bool { state.withLock { $0.incidents != nil } }

    /// A list of incidents; empty while none are kept. Any thread.
    package func incidents(_ query: IncidentQuery) -> IncidentPage {
        state.withLock { $0.incidents?.page(query) } ?? IncidentPage(incidents: [], openCount: 0, next: nil)
    }

    /// An incident with some of its members; nil for an unknown id. Any thread.
    ///
    /// - Parameters:
    ///   - position: the place of the first member in their order.
    ///   - limit: the maximum number of members.
    package func incident(_ id: String, membersFrom position: Int, limit: Int) -> IncidentDetails? {
        state.withLock { $0.incidents?.details(of: id, from: position, limit: limit) }
    }

    /// The same with the elements of the way that were considered for its silent targets. Any thread.
    package func diagnosedIncident(_ id: String, membersFrom position: Int, limit: Int) -> IncidentDetails? {
        let (now, moment) = (clock.now(), timers.now())
        return state.withLock { state in
            guard var details = state.incidents?.details(of: id, from: position, limit: limit) else { return nil }
            details.diagnosis = state.diagnosis(of: details.incident, at: now, moment)
            return details
        }
    }

    /// The ids of the open incidents in which a target fails. Any thread.
    package func incidents(of target: String) -> [String] {
        state.withLock { $0.incidents?.incidents(of: target) } ?? []
    }

    /// Whether an open incident says that a gateway does not answer. Any thread.
    func isSilent(_ gateway: Gateway) -> Bool { state.withLock { $0.incidents?.isSilent(gateway) } ?? false }

    /// How many incidents are open and were opened; nil while none are kept. Any thread.
    package var incidentTally: IncidentTally? { state.withLock { $0.incidents?.tally } }

    /// All incidents with all members, for a store that lacks some. Any thread; costs what there is.
    package var storedIncidents: [StoredIncident] { state.withLock { $0.incidents?.stored } ?? [] }

    /// Applies a person's edit. Any thread.
    ///
    /// - Parameters:
    ///   - id: the incident's.
    ///   - holds: whether the request's condition holds, by the incident's numbers and the newest ``IncidentBook/revision``.
    package func editIncident(
        _ id: String,
        _ edit: IncidentEdit,
        if holds: @Sendable (Incident, _ newest: UInt64) -> Bool = { _, _ in true }
    ) throws(IncidentEditError) {
        let now = clock.now()
        let problem = change { state -> IncidentEditError? in
            let newest = state.incidents?.revision ?? 0
            do throws(IncidentEditError) {
                guard state.incidents != nil else { throw .unknown }
                try state.incidents?.apply(edit, to: id, if: { holds($0, newest) }, at: now)
                return nil
            } catch {
                return error
            }
        }
        notifyListeners()
        if let problem { throw problem }
    }

    /// Forgets incidents that were closed before a time; the caller's store does the same. Any thread.
    package func forgetIncidents(closedBefore moment: Timestamp) {
        change { $0.incidents?.forget(closedBefore: moment) }
    }
}

extension RegistryState {
    /// Has incidents follow a change of a target's state or reason.
    mutating func observeIncidents(_ record: StatusRecord, trigger: ChangeTrigger?, at now: Timestamp) {
        guard incidents != nil else { return }
        guard let ordinal = record.target?.ordinal else { return }
        let diagnosis = record.evaluation?.diagnosis
        // Where packets are lost, some pass, and a host that is down may be down for another reason.
        let isLossy = diagnosis?.reason == .packetLoss
        let onset = ways.onset(
            of: ordinal,
            behind: isLossy ? nil : diagnosis?.lastRouter,
            isLoop: diagnosis?.reason == .ttlExceeded
        )
        guard let observation = IncidentObservation(record, trigger: trigger, onset: onset, at: now) else { return }
        let (ways, table) = (ways, table)
        incidents?.take(observation) {
            ways.companions(of: ordinal).compactMap { other in
                let record = table.position(ordinal: other).flatMap { table.places[$0].record }
                return isLossy && record?.state == .down ? nil : record?.target?.settings.id
            }
        }
    }

    /// What was considered for the silent targets of an incident; see ``IncidentDiagnosis/explains(_:)``.
    ///
    /// - Parameter moment: the same time by the monotonic clock.
    fileprivate func diagnosis(of incident: Incident, at now: Timestamp, _ moment: UInt64) -> IncidentDiagnosis? {
        guard IncidentDiagnosis.explains(incident) else { return nil }
        let members = incidents?.failing(in: incident.id, limit: NetworkDiagnosis.maximumConsidered) ?? []
        let records = members.compactMap { table.position(id: $0).flatMap { table.places[$0].record } }
            .filter { $0.target?.settings.hidesAddress == false }
        let absent = records.first?.evaluation?.diagnosis.flatMap { $0.rule == .hostAbsent ? $0.detail : nil }
        // A router may be a target itself: those behind it are silent for its sake.
        let isHost =
            incident.cause.place == .target
            && !records.contains { $0.evaluation?.diagnosis?.rule.isOfPath == true }
        let ways = ways.elements(of: records.compactMap { $0.target?.ordinal }, isHost: isHost)
        return IncidentDiagnosis(ways, of: incident, isHost: isHost, report: absent) { start in
            let age = Int64(clamping: moment.subtractingReportingOverflow(min(start, moment)).partialValue / 1_000_000)
            return Timestamp(milliseconds: now.milliseconds - age)
        }
    }

    /// Has incidents follow the removal of a target.
    mutating func leaveIncidents(_ id: String, at now: Timestamp) {
        incidents?.take(IncidentObservation(target: id, condition: .leaving(.removed), at: now))
    }

    /// Compares the members of open incidents with the targets that there are.
    mutating func reconcileIncidents(at now: Timestamp) {
        for id in incidents?.failingTargets.sorted() ?? [] {
            guard let record = table.position(id: id).flatMap({ table.places[$0].record }) else {
                leaveIncidents(id, at: now)
                continue
            }
            observeIncidents(record, trigger: nil, at: now)
        }
    }

    /// Ends a step: appends one event for each incident that changed.
    mutating func recordIncidents() {
        guard incidents?.isChanged == true else { return }
        for change in incidents?.settle(epoch: epoch, after: log.head) ?? [] {
            log.append(.incident(change), at: change.at)
        }
    }
}
