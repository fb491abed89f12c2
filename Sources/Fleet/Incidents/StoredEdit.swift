// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import JSON
internal import Monitoring

/// A person's change of an incident on its way to the coordinator.
struct StoredEdit: Sendable, Hashable {
    /// The longest stored form, in bytes: a note with its escapes.
    static let limit = 32_768

    let id: Int64
    /// The incident's id.
    let incident: String
    let edit: IncidentEdit
    let at: Timestamp

    /// The stored form of a change: a JSON object.
    static func text(_ edit: IncidentEdit) -> String {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            if case .some(let name) = edit.acknowledgedBy {
                if let name {
                    writer.member("acknowledged_by", name)
                } else {
                    writer.key("acknowledged_by")
                    writer.null()
                }
            }
            if case .some(let moment) = edit.mutedUntil {
                if let moment {
                    writer.member("muted_until", moment.milliseconds)
                } else {
                    writer.key("muted_until")
                    writer.null()
                }
            }
            if let note = edit.note {
                writer.member("note") { writer in
                    writer.member("author", note.author)
                    writer.member("text", note.text)
                    writer.member("public", edit.isNotePublic)
                }
            }
        }
        return String(decoding: writer.take(), as: UTF8.self)
    }

    /// Reads a stored form; nil for anything else.
    static func read(_ text: String) -> IncidentEdit? {
        guard let value = try? JSONValue(reading: Array(text.utf8), limits: JSONLimits(values: 32)) else { return nil }
        var edit = IncidentEdit()
        switch value.member("acknowledged_by") {
        case nil: break
        case .null: edit.acknowledgedBy = .some(nil)
        case .string(let name) where name.utf8.count <= IncidentLimits.nameLength: edit.acknowledgedBy = name
        default: return nil
        }
        switch value.member("muted_until") {
        case nil: break
        case .null: edit.mutedUntil = .some(nil)
        case .number(let text):
            guard let milliseconds = Int64(text), 0...253_402_300_799_999 ~= milliseconds else { return nil }
            edit.mutedUntil = Timestamp(milliseconds: milliseconds)
        default: return nil
        }
        if let note = value.member("note") {
            guard case .string(let author)? = note.member("author"), case .string(let words)? = note.member("text"),
                author.utf8.count <= IncidentLimits.nameLength, words.utf8.count <= IncidentLimits.noteLength
            else { return nil }
            edit.note = (author, words)
            if case .boolean(true)? = note.member("public") { edit.isNotePublic = true }
        }
        return edit
    }
}
