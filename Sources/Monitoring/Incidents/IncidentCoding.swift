// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// The form in which an incident is stored, without its members: a JSON object with times in milliseconds.
extension Incident {
    /// Bounds what is read: an incident with a full timeline and all notes has fewer values.
    private static let limits = JSONLimits(values: 4_096)
    /// Moments and notes that are read.
    private static let maximumMoments = 128

    /// The stored form.
    package var stored: [UInt8] {
        var writer = JSONWriter(reserving: 1_024)
        writer.object { writer in
            writer.member("id", id)
            writer.member("cause") { $0.storedMembers(cause) }
            writer.key("causes")
            writer.array(otherCauses) { writer, cause in writer.object { $0.storedMembers(cause) } }
            writer.member("opened", openedAt.milliseconds)
            if begunAt != openedAt { writer.member("begun", begunAt.milliseconds) }
            if let closedAt { writer.member("closed", closedAt.milliseconds) }
            writer.member("reopenings", reopenings)
            writer.member("severity", severity.rawValue)
            if let coveredBy { writer.member("covered_by", coveredBy) }
            writer.member("first") { writer in
                writer.member("target", description.target)
                writer.member("name", description.name)
                writer.member("state", description.state.rawValue)
                writer.member("code", description.code)
                if let interface = description.interface { writer.member("interface", interface) }
                writer.member("words", description.words)
                if let hop = description.hop { writer.member("hop", hop) }
                if let port = description.port { writer.member("port", Int(port)) }
                if description.isInferred { writer.member("inferred", true) }
                writer.member("evidence", String(decoding: description.evidence, as: UTF8.self))
            }
            writer.key("timeline")
            writer.array(timeline) { writer, moment in
                writer.object { writer in
                    writer.member("event", moment.kind.rawValue)
                    writer.member("at", moment.at.milliseconds)
                    if let until = moment.until { writer.member("until", until.milliseconds) }
                    writer.member("count", moment.count)
                    writer.member("text", moment.text)
                }
            }
            if let acknowledgement {
                writer.member("acknowledged") { writer in
                    writer.member("by", acknowledgement.by)
                    writer.member("at", acknowledgement.at.milliseconds)
                }
            }
            if let mutedUntil { writer.member("muted", mutedUntil.milliseconds) }
            writer.key("notes")
            writer.array(notes) { writer, note in
                writer.object { writer in
                    writer.member("author", note.author)
                    writer.member("text", note.text)
                    writer.member("at", note.at.milliseconds)
                    if note.isPublic { writer.member("public", true) }
                }
            }
        }
        return writer.bytes
    }

    /// Reads the stored form; nil for anything else.
    ///
    /// - Parameter number: the incident's number, which is stored beside it.
    package init?(stored bytes: [UInt8], number: UInt64) {
        guard let value = try? JSONValue(reading: bytes, limits: Self.limits),
            let id = value.text("id"), EventID(parsing: id) != nil,
            let cause = value.member("cause").flatMap(IncidentCause.init(stored:)),
            let causes = value.elements("causes", IncidentCause.init(stored:)),
            let opened = value.moment("opened"),
            let severity = value.text("severity").flatMap(TargetState.init(rawValue:)), severity.gravity > 0,
            let description = value.member("first").flatMap({ IncidentDescription(stored: $0, of: cause.kind) }),
            let timeline = value.elements("timeline", IncidentMoment.init(stored:)),
            let notes = value.elements("notes", IncidentNote.init(stored:))
        else { return nil }
        self.init(number: number, cause: cause, description: description, openedAt: opened, severity: severity)
        self.id = id
        otherCauses = Array(causes.prefix(IncidentBook.maximumCauses))
        begunAt = value.moment("begun") ?? opened
        closedAt = value.moment("closed")
        coveredBy = value.text("covered_by")
        reopenings = Int(value.whole("reopenings", 0...Int64(Int32.max)) ?? 0)
        self.timeline = Array(timeline.suffix(Self.maximumMoments))
        self.notes = Array(notes.suffix(IncidentLimits.notes))
        mutedUntil = value.moment("muted")
        if let signature = value.member("acknowledged"), let name = signature.text("by"),
            let at = signature.moment("at")
        {
            acknowledgement = Signature(by: name, at: at)
        }
    }
}

extension JSONWriter {
    mutating func storedMembers(_ cause: IncidentCause) {
        member("kind", cause.kind.rawValue)
        member("subject", cause.subject)
        if let origin = cause.origin { member("origin", origin) }
    }
}

extension IncidentCause {
    init?(stored value: JSONValue) {
        guard let kind = value.text("kind").flatMap(Kind.init(rawValue:)), let subject = value.text("subject") else {
            return nil
        }
        self.init(kind, subject, origin: value.text("origin"))
    }
}

extension IncidentDescription {
    fileprivate init?(stored value: JSONValue, of kind: IncidentCause.Kind) {
        guard let target = value.text("target"), let name = value.text("name"),
            let state = value.text("state").flatMap(TargetState.init(rawValue:)), let code = value.text("code"),
            let words = value.text("words"), let evidence = value.text("evidence").map({ Array($0.utf8) }),
            (try? JSONReader.members(of: evidence)) != nil, evidence.allSatisfy({ $0 >= 0x20 })
        else { return nil }
        self.init(
            target: target,
            name: name,
            state: state,
            code: code,
            interface: value.text("interface"),
            words: words,
            hop: value.whole("hop", 1...255).map { Int($0) },
            port: value.whole("port", 1...Int64(UInt16.max)).map { UInt16($0) },
            isInferred: value.isTrue("inferred") || kind.isInferred,
            evidence: evidence
        )
    }
}

extension IncidentMoment {
    fileprivate init?(stored value: JSONValue) {
        guard let kind = value.text("event").flatMap(Kind.init(rawValue:)), let at = value.moment("at"),
            let count = value.whole("count", 0...Int64(Int32.max)), let text = value.text("text")
        else { return nil }
        self.init(kind, at: at, until: value.moment("until"), count: Int(count), text: text)
    }
}

extension IncidentNote {
    fileprivate init?(stored value: JSONValue) {
        guard let author = value.text("author"), let text = value.text("text"), let at = value.moment("at") else {
            return nil
        }
        self.init(author: author, text: text, at: at, isPublic: value.isTrue("public"))
    }
}

extension JSONValue {
    func isTrue(_ name: String) -> Bool {
        if case .boolean(true)? = member(name) { true } else { false }
    }
}
