// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Diagnosis

extension RegistryState {
    /// What was considered for the silent targets of an incident; see ``IncidentDiagnosis/explains(_:)``.
    ///
    /// - Parameter moment: the same time by the monotonic clock.
    func diagnosis(of incident: Incident, at now: Timestamp, _ moment: UInt64) -> IncidentDiagnosis? {
        guard IncidentDiagnosis.explains(incident) else { return nil }
        let members = incidents?.failing(in: incident.id, limit: NetworkDiagnosis<Diagnosis>.maximumConsidered) ?? []
        let records = members.compactMap { table.position(id: $0).flatMap { table.places[$0].record } }
            .filter { $0.target?.settings.hidesAddress == false }
        let absent = records.first?.evaluation?.diagnosis.flatMap { $0.rule == .hostAbsent ? $0.detail : nil }
        let ways = ways.elements(of: records.compactMap { $0.target?.ordinal }, isHost: incident.cause.place == .target)
        return IncidentDiagnosis(ways, of: incident, report: absent) { start in
            let age = Int64(clamping: moment.subtractingReportingOverflow(min(start, moment)).partialValue / 1_000_000)
            return Timestamp(milliseconds: now.milliseconds - age)
        }
    }
}
