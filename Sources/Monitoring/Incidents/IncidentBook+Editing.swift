// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a person changes of an incident; what is nil stays.
package struct IncidentEdit: Sendable, Hashable {
    /// The name of the person that takes care of it; an inner nil: no person does any more.
    package var acknowledgedBy: String??
    /// Until when no notifications are to be sent; an inner nil: send them again.
    package var mutedUntil: Timestamp??
    /// A note to add.
    package var note: (author: String, text: String)?
    /// Whether the note is an announcement: the public status page shows its text.
    package var isNotePublic = false

    /// Creates an edit that changes nothing.
    package init() {}

    /// Whether all parts are equal.
    package static func == (left: IncidentEdit, right: IncidentEdit) -> Bool {
        left.acknowledgedBy == right.acknowledgedBy && left.mutedUntil == right.mutedUntil
            && left.note?.author == right.note?.author && left.note?.text == right.note?.text
            && left.isNotePublic == right.isNotePublic
    }

    /// Hashes all parts.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(acknowledgedBy)
        hasher.combine(mutedUntil)
        hasher.combine(note?.author)
        hasher.combine(note?.text)
        hasher.combine(isNotePublic)
    }
}

/// Why an incident was not changed.
package enum IncidentEditError: Error, Sendable, Hashable, CaseIterable {
    /// There is no such incident.
    case unknown
    /// It has as many notes as it may have.
    case tooManyNotes
    /// The condition of the request does not hold.
    case condition
}

extension IncidentBook {
    /// Applies a person's edit. One that is repeated changes nothing: neither a name that is there already, nor a note that equals the
    /// last one.
    ///
    /// - Parameters:
    ///   - id: the incident's.
    ///   - edit: the edit; its texts are no longer than ``IncidentLimits`` says.
    ///   - holds: whether the request's condition holds for the incident as it is.
    ///   - moment: the time.
    package mutating func apply(
        _ edit: IncidentEdit,
        to id: String,
        if holds: (Incident) -> Bool = { _ in true },
        at moment: Timestamp
    ) throws(IncidentEditError) {
        guard let number = numbersByID[id], let old = entries[number]?.incident else { throw .unknown }
        guard holds(old) else { throw .condition }
        var incident = old
        var moments: [IncidentMoment] = []
        if case .some(let name) = edit.acknowledgedBy, name != old.acknowledgement?.by {
            incident.acknowledgement = name.map { Incident.Signature(by: $0, at: moment) }
            moments.append(
                IncidentMoment(name == nil ? .unacknowledged : .acknowledged, at: moment, text: name ?? "")
            )
        }
        if case .some(let end) = edit.mutedUntil, end != old.mutedUntil {
            incident.mutedUntil = end
            moments.append(IncidentMoment(end == nil ? .unmuted : .muted, at: moment, text: end?.description ?? ""))
        }
        if let note = edit.note,
            note.author != old.notes.last?.author || note.text != old.notes.last?.text
                || edit.isNotePublic != old.notes.last?.isPublic
        {
            guard old.notes.count < IncidentLimits.notes else { throw .tooManyNotes }
            incident.notes.append(
                IncidentNote(author: note.author, text: note.text, at: moment, isPublic: edit.isNotePublic)
            )
            moments.append(IncidentMoment(.noted, at: moment, text: note.author))
        }
        guard !moments.isEmpty else { return }
        change(number, at: moment) { entry in
            entry.incident = incident
            entry.moments += moments
            entry.isEdited = true
            return true
        }
    }
}
