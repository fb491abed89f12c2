// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import HTTPServer
import History
import JSON
import Monitoring
import NetworkPaths
import Notifying

/// The overall status.
extension RequestHandler {
    func status(_ request: HTTPRequest, _ reader: inout QueryReader) -> HTTPResponse {
        let conditions = reader.cases("fail_on", as: FailCondition.self)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        let uptime = (monotonicTime() - startTime) / 1_000_000
        let activity = probes?.activity ?? .idle
        let entry =
            if let fleet = wiring.fleet() {
                makeStatus(uptimeMilliseconds: uptime, activity: activity, ReportedFleet(scope: .node, status: fleet))
            } else {
                statusCache.entry(version: registry.version, second: uptime / 1000, activity: activity) {
                    makeStatus(uptimeMilliseconds: uptime, activity: activity)
                }
            }
        let isFailing = conditions.contains { $0.holds(for: entry) }
        return entry.answer.response(to: request, status: isFailing ? 503 : 200)
    }

    /// Responds also while the database cannot be read: then without the counts, and with the reason.
    func fleetStatus(_ request: HTTPRequest, _ reader: inout QueryReader, _ view: FleetView) -> HTTPResponse {
        let conditions = reader.cases("fail_on", as: FailCondition.self)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        return ask(view, request) { answer in
            view.summarize { [self] result in
                guard let status = wiring.fleet() else {
                    return answer(.success(Problem(kind: .internalError).response))
                }
                let summary = try? result.get()
                let entry = makeStatus(
                    uptimeMilliseconds: (monotonicTime() - startTime) / 1_000_000,
                    activity: probes?.activity ?? .idle,
                    ReportedFleet(scope: .fleet, status: status, summary: summary)
                )
                // Targets that cannot be counted may be in any state.
                let isFailing = conditions.contains { $0.holds(for: entry) || ($0 != .network && summary == nil) }
                answer(.success(entry.answer.response(to: request, status: isFailing ? 503 : 200)))
            }
        }
    }

    private func makeStatus(
        uptimeMilliseconds: UInt64,
        activity: ActivityStatus,
        _ fleet: ReportedFleet? = nil
    ) -> StatusCache.Entry {
        let overview = registry.overview
        let facts = wiring.facts()
        var writer = JSONWriter()
        writer.statusBody(
            overview,
            service: service,
            activity: activity,
            probing: probes?.statistics,
            anchors: registry.anchors,
            netlink: facts.paths,
            history: history?.status ?? HistoryStatus(state: .off, since: service.startedAt),
            rollups: past?.rollupStatus,
            notifications: notifications?.statuses ?? [],
            discovery: facts.discovery,
            uptimeMilliseconds: uptimeMilliseconds,
            generatedAt: clock.now(),
            fleet: fleet
        )
        return StatusCache.Entry(
            version: overview.version,
            second: uptimeMilliseconds / 1000,
            activity: activity,
            // The standing in a fleet changes without the registry.
            answer: fleet != nil
                ? PreparedAnswer(constant: writer.bytes)
                : PreparedAnswer(
                    writer.bytes,
                    validator: PreparedAnswer.validator(
                        run: registry.run,
                        version: overview.version,
                        activity: activity,
                        discovery: facts.discovery
                    )
                ),
            occupied: Set(
                TargetState.allCases.filter { state in
                    fleet?.scope == .fleet ? fleet?.summary?.states[state] ?? 0 > 0 : overview.counts[state] > 0
                }
            ),
            isNetworkReachable: overview.network.status.isReachable
        )
    }
}
