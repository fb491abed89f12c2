// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import JSON
import Monitoring

/// Incidents of this node's own view.
extension RequestHandler {
    /// Responds with a list of incidents.
    func incidents(_ request: HTTPRequest, _ reader: inout QueryReader) -> HTTPResponse {
        let query = IncidentQuery(&reader)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        let page = registry.incidents(query)
        var writer = JSONWriter(reserving: page.incidents.count * 512 + 64)
        writer.object { $0.incidentListMembers(page) }
        return PreparedAnswer(constant: writer.bytes).response(to: request)
    }

    /// Responds with one incident and some of its members.
    func incident(_ raw: String, _ request: HTTPRequest, _ reader: inout QueryReader) -> HTTPResponse {
        let place = IncidentPlace(&reader)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        guard let id = PercentDecoding.decode(raw[...].utf8, plusIsSpace: false) else {
            return Problem(kind: .badEncoding).response
        }
        return incidentAnswer(id, from: place.first, limit: place.limit)?.response(to: request)
            ?? Problem.unknownIncident(id).response
    }

    /// Applies a person's change of an incident: acknowledges, mutes, adds a note.
    func changeIncident(_ raw: String, _ request: HTTPRequest) -> HTTPResponse {
        guard let id = PercentDecoding.decode(raw[...].utf8, plusIsSpace: false) else {
            return Problem(kind: .badEncoding).response
        }
        if let refusal = refusalOfType(request, isPatch: true) { return refusal }
        let edit: IncidentEdit
        switch IncidentPatch.read(request.body) {
        case .failure(let error): return error.response
        case .success(let read): edit = read
        }
        let condition = WriteCondition(request)
        let run = registry.run
        do throws(IncidentEditError) {
            try registry.editIncident(id, edit) { condition.holds(for: $0, run: run, newest: $1) }
        } catch {
            return Problem(error, id).response
        }
        guard let answer = incidentAnswer(id, from: 0, limit: TargetQuery.defaultLimit) else {
            return Problem.unknownIncident(id).response
        }
        return HTTPResponse(status: 200, headers: answer.headers, body: .prepared(answer.body))
    }

    private func incidentAnswer(_ id: String, from position: Int, limit: Int) -> PreparedAnswer? {
        guard let details = registry.diagnosedIncident(id, membersFrom: position, limit: limit) else { return nil }
        let advice = advice(details)
        var writer = JSONWriter(reserving: details.members.count * 192 + 2_048)
        writer.object { writer in
            writer.incidentMembers(details)
            if let advice { writer.member("advice", advice) }
        }
        return PreparedAnswer(
            writer.bytes,
            validator: PreparedAnswer.validator(
                run: registry.run,
                version: details.incident.revision,
                diagnosis: details.diagnosis,
                advice: advice
            )
        )
    }

    /// What to do about the first of the shown members that fails, and not because of a parent.
    private func advice(_ details: IncidentDetails) -> String? {
        let failing = details.members.first { $0.until == nil && $0.distance != .parent }
        return failing.flatMap { registry.target($0.target) }.flatMap { NextStep.text(Self.body($0)) }
    }
}

extension JSONWriter {
    /// The members of a list of incidents.
    mutating func incidentListMembers(_ page: IncidentPage) {
        key("incidents")
        array(page.incidents) { writer, incident in writer.object { $0.incidentMembers(incident) } }
        member("open", page.openCount)
        if let next = page.next { member("next", next.text) }
    }

    /// The members of one incident with some of its targets.
    mutating func incidentMembers(_ details: IncidentDetails) {
        incidentDetailMembers(details)
        if let next = details.next { member("next", "\(next)") }
    }
}

/// Which members of an incident are wanted.
struct IncidentPlace {
    /// The place of the first one in the order in which they joined.
    let first: Int
    let limit: Int

    /// Reads the query of `GET /incidents/{id}`.
    init(_ reader: inout QueryReader) {
        limit = reader.integer("limit", in: 1...TargetQuery.maximumLimit, default: TargetQuery.defaultLimit)
        first = reader.integer("cursor", in: 0...999_999_999, default: 0)
    }
}

extension IncidentQuery {
    /// Reads the query of `GET /incidents`.
    init(_ reader: inout QueryReader) {
        self.init()
        let states = reader.cases("state", among: [("open", true), ("closed", false)])
        isOpen = states.count == 1 ? states.first : nil
        targets = Set(reader.all("target"))
        for id in targets where !TargetID.isValid(id) { reader.fault("target", "It is not a valid target id.") }
        groups = Set(reader.all("group"))
        since = reader.moment("since")
        until = reader.moment("until")
        limit = reader.integer("limit", in: 1...1_000, default: limit)
        guard let text = reader.one("cursor") else { return }
        after = IncidentCursor(parsing: text)
        if after == nil { reader.fault("cursor", "It is not a cursor of this list; start again without it.") }
    }
}

extension IncidentCursor {
    /// The text in the HTTP contract.
    var text: String { "\(isOpen ? "open" : "closed").\(String(number, radix: 16))" }

    /// Reads the text; nil for anything else.
    init?(parsing text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "open" || parts[0] == "closed", parts[1].utf8.count <= 16,
            let number = UInt64(parts[1], radix: 16)
        else { return nil }
        self.init(isOpen: parts[0] == "open", number: number)
    }
}

extension Problem {
    /// 404 for an unknown incident.
    static func unknownIncident(_ id: String) -> Problem {
        Problem(kind: .unknownIncident, detail: "There is no incident \(quote(id)); GET /incidents lists all.")
    }

    /// Why an incident was not changed.
    init(_ error: IncidentEditError, _ id: String) {
        switch error {
        case .unknown: self = .unknownIncident(id)
        case .condition:
            self.init(
                kind: .preconditionFailed,
                detail: "The incident was changed by another client, or does not exist."
            )
        case .tooManyNotes:
            let detail = "The incident has \(IncidentLimits.notes) notes, which is the maximum."
            let fault = ProblemFault(pointer: "/note", code: "too_many_notes", detail: detail)
            self.init(kind: .invalidIncidentChange, detail: detail, faults: [fault])
        }
    }
}
