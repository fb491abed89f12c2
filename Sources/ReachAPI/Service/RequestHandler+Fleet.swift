// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import HTTPServer
import JSON
import Monitoring

/// This node's standing in its fleet.
extension RequestHandler {
    /// Responds with the standing; a node without a fleet has no such route.
    func fleet(_ request: HTTPRequest) -> HTTPResponse {
        guard let status = wiring.fleet() else { return Problem.unknownRoute(Route.fleet.rawValue).response }
        var writer = JSONWriter()
        writer.object { $0.fleetMembers(status) }
        return PreparedAnswer(constant: writer.bytes).response(to: request)
    }
}

/// The nodes of the fleet.
extension RequestHandler {
    func fleetNodes(_ request: HTTPRequest) -> HTTPResponse {
        guard let fleetView else { return Problem.unknownRoute(Route.fleetNodes.rawValue).response }
        return ask(fleetView, request) { answer in
            fleetView.reader.ask(FleetOverview.question) { result in
                answer(
                    result.map { overview in
                        var writer = JSONWriter()
                        if let overview { writer.fleetOverview(overview) } else { writer.object { _ in } }
                        return PreparedAnswer(constant: writer.bytes).response(to: request)
                    }
                )
            }
        }
    }

    func fleetNode(_ raw: String, _ request: HTTPRequest) -> HTTPResponse {
        node(raw, request) { name, fleet, answer in
            fleet.reader.ask(FleetOverview.question) { result in
                answer(
                    result.map { overview in
                        guard let overview, let node = overview.nodes.first(where: { $0.name == name }) else {
                            return Problem.unknownNode(name).response
                        }
                        var writer = JSONWriter()
                        writer.object { $0.fleetNodeMembers(node, in: overview) }
                        return PreparedAnswer(constant: writer.bytes).response(to: request)
                    }
                )
            }
        }
    }

    /// Has a node's targets moved to other nodes, or lets it take targets again.
    func setDraining(_ isDraining: Bool, _ raw: String, _ request: HTTPRequest) -> HTTPResponse {
        node(raw, request) { name, fleet, answer in
            fleet.reader.ask(FleetOverview.drain(isDraining, node: name)) { result in
                answer(
                    result.map { isKnown in
                        guard isKnown else { return Problem.unknownNode(name).response }
                        var writer = JSONWriter()
                        writer.object { writer in
                            writer.member("name", name)
                            writer.member("is_draining", isDraining)
                        }
                        return HTTPResponse(status: 200, headers: Self.fresh, body: .bytes(writer.bytes))
                    }
                )
            }
        }
    }

    private func node(
        _ raw: String,
        _ request: HTTPRequest,
        _ body: (_ name: String, FleetView, @escaping FleetAnswer) -> Void
    ) -> HTTPResponse {
        guard let fleetView else { return Problem.unknownRoute(Route.fleetNodes.rawValue).response }
        guard let name = PercentDecoding.decode(raw[...].utf8, plusIsSpace: false) else {
            return Problem(kind: .badEncoding).response
        }
        guard !name.utf8.contains(0) else { return Problem.unknownNode(name).response }
        return ask(fleetView, request) { body(name, fleetView, $0) }
    }
}

extension Problem {
    fileprivate static func unknownNode(_ name: String) -> Problem {
        Problem(kind: .unknownNode, detail: "The fleet has no node \(quote(name)); GET /fleet/nodes lists all.")
    }
}

extension JSONWriter {
    /// The problems of a node's part in its fleet.
    mutating func fleetProblems(_ problems: [FleetProblem]) {
        key("problems")
        array(problems) { writer, problem in
            writer.object {
                $0.member("code", problem.code.rawValue)
                $0.member("detail", problem.detail)
            }
        }
    }

    /// A node's standing.
    mutating func fleetMembers(_ status: FleetStatus) {
        let standing = status.standing
        member("node", status.node)
        member("location", status.location)
        member("phase", standing.phase.rawValue)
        member("has_lease", status.hasLease)
        member("is_draining", standing.answer?.isDraining ?? false)
        member("is_coordinator", status.isCoordinator)
        member("coordinator", optional: standing.answer?.coordinator?.name)
        member("targets", status.targets)
        member("is_resumed", status.isResumed)
        member("unreported_events", standing.backlog)
        key("receivers")
        array(standing.answer?.receivers.map(\.name) ?? []) { $0.string($1) }
        member("database") { writer in
            writer.member("is_usable", standing.isDatabaseUsable)
            if let outage = standing.outage {
                writer.member("since", outage.since.description)
                writer.member("code", outage.fault.code)
                writer.member("detail", outage.fault.message)
            }
            if let answer = standing.answer { writer.member("is_durable", answer.isDurable) }
            if let roundTrip = standing.skew.roundTrip { writer.member("round_trip_seconds", roundTrip) }
            writer.member("clock_difference_seconds", difference: standing.skew.estimate)
        }
        if let cache = status.cache {
            member("cache") { writer in
                writer.member("is_usable", cache.fault == nil)
                if let time = cache.savedAt { writer.member("saved_at", time) }
                if let fault = cache.fault {
                    writer.member("code", fault.code.rawValue)
                    writer.member("detail", fault.message)
                }
            }
        }
        fleetProblems(status.problems)
        if let answer = standing.answer {
            member("position", "\(answer.epoch)-\(answer.sequence)")
        }
    }
}
