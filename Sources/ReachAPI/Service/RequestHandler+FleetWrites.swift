// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import HTTPServer
import JSON
import Monitoring

/// Changes of the fleet's targets and incidents, on any node.
extension RequestHandler {
    /// The answer to a request that changes the fleet's targets or incidents; nil for all others.
    func fleetChange(
        _ match: Router.Match,
        _ method: HTTPMethod,
        _ request: HTTPRequest,
        _ fleet: FleetView
    ) -> HTTPResponse? {
        switch (match.route, method) {
        case (.targets, .post):
            return refusalOfType(request, isPatch: false) ?? edit(.add(request.body), request, fleet)
        case (.target, .put), (.target, .patch), (.target, .delete):
            guard let id = PercentDecoding.decode((match.id ?? "")[...].utf8, plusIsSpace: false) else {
                return Problem(kind: .badEncoding).response
            }
            if method == .put {
                return refusalOfType(request, isPatch: false) ?? edit(.put(id, request.body), request, fleet)
            }
            if method == .patch, let refusal = refusalOfType(request, isPatch: true) { return refusal }
            guard TargetID.isValid(id) else { return Problem.unknownTarget(id).response }
            return edit(method == .patch ? .patch(id, request.body) : .remove(id), request, fleet)
        case (.incident, .patch):
            return changeFleetIncident(match.id ?? "", request, fleet)
        default:
            return nil
        }
    }

    private func edit(_ edit: FleetEdit, _ request: HTTPRequest, _ fleet: FleetView) -> HTTPResponse {
        guard let editor = fleet.editor else {
            return Problem(kind: .notImplemented, detail: "This service does not accept changes of targets.").response
        }
        let condition = WriteCondition(request)
        let path = request.path
        return ask(fleet, request) { answer in
            editor.perform(edit, if: { condition.holds(for: $0) }) { result in
                switch result {
                case .failure(.unavailable(let fault)): answer(.failure(fault))
                case .failure(.refused(let error)): answer(.success(Problem(error).response))
                case .failure(.contended): answer(.success(Self.contended))
                case .success(let outcome):
                    if case .remove = edit {
                        return answer(
                            .success(HTTPResponse(status: 204, headers: [HTTPHeader("Cache-Control", "no-store")]))
                        )
                    }
                    Self.read(outcome, edit, path, fleet.reader, answer)
                }
            }
        }
    }

    /// Responds with the targets as the change left them.
    private static func read(
        _ outcome: FleetEditOutcome,
        _ edit: FleetEdit,
        _ path: String,
        _ reader: FleetReader,
        _ answer: @escaping FleetAnswer
    ) {
        guard !outcome.ids.isEmpty else { return answer(.success(added([]))) }
        var filter = FleetTargetFilter()
        filter.ids = Set(outcome.ids)
        reader.targets(filter, after: 0, limit: outcome.ids.count, isCounted: false) { result in
            answer(
                result.map { page in
                    guard !outcome.isBatch else {
                        let targets = Dictionary(page.targets.map { ($0.id, $0) }) { first, _ in first }
                        return added(outcome.ids.compactMap { targets[$0] })
                    }
                    // Another client may have removed it meanwhile.
                    guard let target = page.targets.first else {
                        return Problem.unknownTarget(outcome.ids.first ?? "").response
                    }
                    return changed(target, isNew: outcome.isNew, edit, path)
                }
            )
        }
    }

    private static func changed(_ target: FleetTarget, isNew: Bool, _ edit: FleetEdit, _ path: String) -> HTTPResponse {
        var writer = JSONWriter()
        writer.fleetTarget(target)
        var headers = fresh + [HTTPHeader("ETag", validator(target.revision, writer.bytes))]
        if isNew {
            // Ids have no characters that need encoding.
            if case .add = edit {
                headers.append(HTTPHeader("Location", "\(path)/\(target.id)"))
            } else {
                headers.append(HTTPHeader("Location", path))
            }
        }
        return HTTPResponse(status: isNew ? 201 : 200, headers: headers, body: .bytes(writer.bytes))
    }

    private static func added(_ targets: [FleetTarget]) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object { writer in
            writer.key("targets")
            writer.array(targets) { $0.fleetTarget($1) }
            writer.member("total", targets.count)
        }
        return HTTPResponse(status: targets.isEmpty ? 200 : 201, headers: fresh, body: .bytes(writer.bytes))
    }

    /// The validator of a fleet's target: its declaration's version, for changes, and what else the body shows.
    static func validator(_ revision: FleetRevision, _ bytes: [UInt8]) -> String {
        "W/\"\(revision.epoch)-\(revision.version)-\(PreparedAnswer.digest(of: bytes))\""
    }

    private static let contended = Problem(
        kind: .overloaded,
        detail: "Other nodes are changing the fleet's targets at the same time; nothing was changed.",
        headers: soon
    ).response
}
