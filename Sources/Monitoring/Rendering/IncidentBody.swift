// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
package import JSON

/// Incidents in the HTTP contract.
extension JSONWriter {
    /// Members of an incident that an event names; there may be more.
    package static var namedMembers: Int { 50 }

    /// The members of an `incident` event.
    ///
    /// - Parameter limit: how many members of each kind it names.
    package mutating func incidentChangeMembers(_ change: IncidentChange, naming limit: Int = namedMembers) {
        member("action", change.action.rawValue)
        member("incident") { $0.incidentMembers(change.incident) }
        for (name, members) in [("joined", change.joined), ("left", change.left), ("changed", change.changed)]
        where !members.isEmpty {
            key(name)
            array(members.prefix(limit)) { $0.incidentMember($1) }
            member(named: "\(name)_count", members.count)
        }
    }

    /// What lists and events say of an incident.
    package mutating func incidentMembers(_ incident: Incident) {
        member("id", incident.id)
        member("title", incident.title)
        member("state", incident.isOpen ? "open" : "closed")
        member("severity", incident.severity.rawValue)
        member("cause", incident.cause.place.rawValue)
        member("kind", incident.cause.kind.rawValue)
        if !incident.cause.subject.isEmpty { member("subject", incident.cause.subject) }
        if let origin = incident.cause.origin { member("origin", origin) }
        member("opened_at", incident.openedAt)
        if incident.begunAt != incident.openedAt { member("reopened_at", incident.begunAt) }
        if let closedAt = incident.closedAt { member("closed_at", closedAt) }
        if incident.reopenings > 0 { member("reopenings", incident.reopenings) }
        member("targets") { writer in
            writer.member("total", incident.counts.total)
            writer.member("failing", incident.counts.open)
            writer.member("down", incident.counts.down)
            writer.member("unreachable", incident.counts.unreachable)
            writer.member("degraded", incident.counts.degraded)
        }
        if let coveredBy = incident.coveredBy { member("covered_by", coveredBy) }
        if let acknowledgement = incident.acknowledgement {
            member("acknowledged") { writer in
                writer.member("by", acknowledgement.by)
                writer.member("at", acknowledgement.at)
            }
        }
        if let mutedUntil = incident.mutedUntil { member("muted_until", mutedUntil) }
        if !incident.notes.isEmpty { member("note_count", incident.notes.count) }
    }

    /// What only the route of an incident says: evidence, timeline, notes, members.
    package mutating func incidentDetailMembers(_ details: IncidentDetails) {
        let incident = details.incident
        incidentMembers(incident)
        if !incident.otherCauses.isEmpty {
            key("other_causes")
            array(incident.otherCauses) { writer, cause in
                writer.object { writer in
                    writer.member("kind", cause.kind.rawValue)
                    if !cause.subject.isEmpty { writer.member("subject", cause.subject) }
                    if let origin = cause.origin { writer.member("origin", origin) }
                }
            }
        }
        member("first_target", incident.description.target)
        key("evidence")
        value(rendered: incident.description.evidence)
        if let diagnosis = details.diagnosis { member("diagnosis") { $0.diagnosisMembers(diagnosis) } }
        key("timeline")
        array(incident.timeline) { writer, moment in
            writer.object { writer in
                writer.member("at", moment.at)
                if let until = moment.until { writer.member("until", until) }
                writer.member("event", moment.kind.rawValue)
                if moment.count > 0 { writer.member("targets", moment.count) }
                if !moment.text.isEmpty { writer.member("text", moment.text) }
            }
        }
        key("notes")
        array(incident.notes) { writer, note in
            writer.object { writer in
                writer.member("at", note.at)
                writer.member("author", note.author)
                writer.member("text", note.text)
                if note.isPublic { writer.member("public", true) }
            }
        }
        key("members")
        array(details.members) { $0.incidentMember($1) }
    }

    private mutating func diagnosisMembers(_ diagnosis: IncidentDiagnosis) {
        member("text", diagnosis.text)
        if let since = diagnosis.since { member("since", since) }
        member("targets", diagnosis.considered)
        if diagnosis.omitted > 0 { member("omitted_targets", diagnosis.omitted) }
        if diagnosis.isCountPartial { member("partial_count", true) }
        key("elements")
        array(diagnosis.elements) { writer, element in
            writer.object { writer in
                writer.member("kind", element.kind.rawValue)
                writer.member("hop", element.hop)
                if let prefix = element.prefix { writer.member("prefix", prefix.description) }
                if !element.addresses.isEmpty {
                    writer.key("addresses")
                    writer.array(element.addresses) { $0.string($1.description) }
                }
                writer.member("targets", element.targets)
                writer.member("silent", element.silent)
                if let reachedAt = element.reachedAt { writer.member("reached_at", reachedAt) }
                if let passedAt = element.passedAt { writer.member("passed_at", passedAt) }
                if let tracedAt = element.tracedAt { writer.member("traced_at", tracedAt) }
                if element.isAtFault { writer.member("at_fault", true) }
                writer.member("text", element.text)
            }
        }
    }

    private mutating func incidentMember(_ member: IncidentMember) {
        object { writer in
            writer.member("target", member.target)
            if let name = member.name { writer.member("name", name) }
            if let group = member.group { writer.member("group", group) }
            writer.member("state", member.state.rawValue)
            writer.member("first", member.first)
            writer.member("from", member.from)
            if let until = member.until { writer.member("until", until) }
            if let end = member.end { writer.member("end", end.rawValue) }
            if member.turns > 1 { writer.member("turns", member.turns) }
        }
    }
}
