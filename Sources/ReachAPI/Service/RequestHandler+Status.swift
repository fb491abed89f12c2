// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import History
import JSON
import Monitoring
import NetworkPaths
import Notifying

/// How things stand in all.
extension RequestHandler {
    func status(_ request: HTTPRequest, _ reader: inout QueryReader) -> HTTPResponse {
        let conditions = reader.cases("fail_on", as: FailCondition.self)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        let uptime = (monotonicTime() - startTime) / 1_000_000
        let activity = probes?.activity ?? .idle
        let entry = statusCache.entry(version: registry.version, second: uptime / 1000, activity: activity) {
            makeStatus(uptimeMilliseconds: uptime, activity: activity)
        }
        let isFailing = conditions.contains { $0.holds(for: entry) }
        return entry.answer.response(to: request, status: isFailing ? 503 : 200)
    }

    private func makeStatus(uptimeMilliseconds: UInt64, activity: ActivityStatus) -> StatusCache.Entry {
        let overview = registry.overview
        var writer = JSONWriter()
        writer.statusBody(
            overview,
            service: service,
            activity: activity,
            probing: probes?.statistics,
            anchors: registry.anchors,
            netlink: wiring.facts().paths,
            history: history?.status ?? HistoryStatus(state: .off, since: service.startedAt),
            rollups: past?.rollupStatus,
            notifications: notifications?.statuses ?? [],
            uptimeMilliseconds: uptimeMilliseconds,
            generatedAt: clock.now()
        )
        return StatusCache.Entry(
            version: overview.version,
            second: uptimeMilliseconds / 1000,
            activity: activity,
            answer: PreparedAnswer(
                writer.bytes,
                validator: PreparedAnswer.validator(
                    run: registry.run,
                    version: overview.version,
                    activity: activity
                )
            ),
            occupied: Set(TargetState.allCases.filter { overview.counts[$0] > 0 }),
            isNetworkReachable: overview.network.status.isReachable
        )
    }
}
