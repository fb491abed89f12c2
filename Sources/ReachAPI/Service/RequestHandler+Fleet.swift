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
        writer.fleet(status)
        return PreparedAnswer(constant: writer.bytes).response(to: request)
    }
}

extension JSONWriter {
    fileprivate mutating func fleet(_ status: FleetStatus) {
        let standing = status.standing
        object { writer in
            writer.member("node", status.node)
            writer.member("location", status.location)
            writer.member("phase", standing.phase.rawValue)
            writer.member("has_lease", status.hasLease)
            writer.member("is_draining", standing.answer?.isDraining ?? false)
            writer.member("is_coordinator", status.isCoordinator)
            writer.member("coordinator", optional: standing.answer?.coordinator?.name)
            writer.member("targets", status.targets)
            writer.member("unreported_events", standing.backlog)
            writer.member("database") { writer in
                writer.member("is_usable", standing.isDatabaseUsable)
                if let outage = standing.outage {
                    writer.member("since", outage.since.description)
                    writer.member("code", outage.fault.code)
                    writer.member("detail", outage.fault.message)
                }
                if let roundTrip = standing.skew.roundTrip { writer.member("round_trip_seconds", roundTrip) }
                writer.member("clock_difference_seconds", difference: standing.skew.estimate)
            }
            if let answer = standing.answer {
                writer.member("position", "\(answer.epoch)-\(answer.sequence)")
            }
        }
    }
}
