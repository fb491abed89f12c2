// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import HTTPServer
import JSON
import Monitoring

/// The fleet's incidents, on any node.
extension RequestHandler {
    /// Responds with a list of incidents.
    func fleetIncidents(_ request: HTTPRequest, _ reader: inout QueryReader, _ fleet: FleetView) -> HTTPResponse {
        let query = IncidentQuery(&reader)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        return ask(fleet, request) { answer in
            fleet.reader.ask(FleetIncidents.page(query)) { result in
                answer(
                    result.map { page in
                        var writer = JSONWriter(reserving: page.incidents.count * 512 + 64)
                        writer.object { $0.incidentListMembers(page) }
                        return PreparedAnswer(constant: writer.bytes).response(to: request)
                    }
                )
            }
        }
    }

    /// Responds with one incident and some of its members.
    func fleetIncident(
        _ raw: String,
        _ request: HTTPRequest,
        _ reader: inout QueryReader,
        _ fleet: FleetView
    ) -> HTTPResponse {
        let place = IncidentPlace(&reader)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        return read(raw, request, fleet, refusal: Self.refusal) { id, answer in
            let question = FleetIncidents.details(of: id, from: place.first, limit: place.limit)
            fleet.reader.ask(question) { result in
                answer(
                    result.map { details in
                        guard let details else { return Problem.unknownIncident(id).response }
                        return Self.answer(details).response(to: request)
                    }
                )
            }
        }
    }

    /// Hands a person's change of an incident to the coordinator, and responds when it was applied; with 202 if that takes long.
    func changeFleetIncident(_ raw: String, _ request: HTTPRequest, _ fleet: FleetView) -> HTTPResponse {
        if let refusal = refusalOfType(request, isPatch: true) { return refusal }
        let edit: IncidentEdit
        switch IncidentPatch.read(request.body) {
        case .failure(let error): return error.response
        case .success(let read): edit = read
        }
        let condition = WriteCondition(request)
        return read(raw, request, fleet, refusal: Self.refusal) { id, answer in
            let details = FleetIncidents.details(of: id, from: 0, limit: TargetQuery.defaultLimit)
            fleet.reader.ask(details) { result in
                guard case .success(let found?) = result else {
                    return answer(result.map { _ in Problem.unknownIncident(id).response })
                }
                if let error = Self.obstacle(to: edit, of: found.incident, condition) {
                    return answer(.success(Problem(error, id).response))
                }
                fleet.reader.edit(id, edit) { result in
                    let isApplied: Bool
                    switch result {
                    case .failure(let fault): return answer(.failure(fault))
                    case .success(nil): return answer(.success(Problem.unknownIncident(id).response))
                    case .success(let isTaken?): isApplied = isTaken
                    }
                    fleet.reader.ask(details) { result in
                        answer(
                            result.map { details in
                                guard let details else { return Problem.unknownIncident(id).response }
                                let body = Self.answer(details)
                                let status = isApplied ? 200 : 202
                                return HTTPResponse(status: status, headers: body.headers, body: .prepared(body.body))
                            }
                        )
                    }
                }
            }
        }
    }

    private static func obstacle(
        to edit: IncidentEdit,
        of incident: Incident,
        _ condition: WriteCondition
    ) -> IncidentEditError? {
        guard condition.holds(for: incident, run: run(of: incident), newest: .max) else { return .condition }
        return edit.note != nil && incident.notes.count >= IncidentLimits.notes ? .tooManyNotes : nil
    }

    private static func answer(_ details: IncidentDetails) -> PreparedAnswer {
        var writer = JSONWriter(reserving: details.members.count * 192 + 2_048)
        writer.object { $0.incidentMembers(details) }
        let incident = details.incident
        return PreparedAnswer(
            writer.bytes,
            validator: PreparedAnswer.validator(run: run(of: incident), version: incident.revision)
        )
    }

    /// The database counts an incident's revisions.
    private static func run(of incident: Incident) -> String { EventID(parsing: incident.id)?.epoch ?? "" }

    /// Why an id is no incident's.
    private static func refusal(_ id: String) -> Problem? {
        EventID(parsing: id) == nil ? .unknownIncident(id) : nil
    }
}
