// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import History
import JSON
import Monitoring
import NetworkPaths
import Notifying

/// One target, and lists.
extension RequestHandler {
    /// Ids that are compared with an unknown one.
    private static let similarIDs = 1_000

    func target(_ raw: String, _ request: HTTPRequest, isHealth: Bool) -> HTTPResponse {
        guard let id = PercentDecoding.decode(raw[...].utf8, plusIsSpace: false) else {
            return Problem(kind: .badEncoding).response
        }
        guard let record = registry.target(id) else {
            let known = registry.page(after: 0, limit: Self.similarIDs).records.compactMap { $0.target?.settings.id }
            return Problem.unknownTarget(id, among: known).response
        }
        let status = isHealth && !record.state.isHealthy ? 503 : 200
        let next = record.target.flatMap { probes?.nextProbe(of: $0) }
        if !isHealth, let traffic = probes?.traffic(of: id), !traffic.isEmpty {
            return Self.answer(record, next, traffic, run: registry.run).response(to: request, status: status)
        }
        let answer = targetCache.answer(for: record, nextProbe: next, id: id) {
            Self.answer(record, next, nil, run: registry.run)
        }
        return answer.response(to: request, status: status)
    }

    /// The body with what changes without the target.
    private static func answer(
        _ record: StatusRecord,
        _ next: Timestamp?,
        _ traffic: TargetTraffic?,
        run: String
    ) -> PreparedAnswer {
        var writer = JSONWriter()
        writer.target(record, detail: .full, nextProbe: next, traffic: traffic)
        let validator = PreparedAnswer.validator(run: run, version: record.version, nextProbe: next, traffic: traffic)
        return PreparedAnswer(NextStep.advised(writer.bytes, record.state), validator: validator)
    }

    func targets(_ request: HTTPRequest, _ reader: inout QueryReader) -> HTTPResponse {
        let query = TargetQuery(&reader, run: registry.run)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        // The list is only made for clients that do not have it.
        let known = PreparedAnswer.validator(run: registry.run, version: registry.version)
        if PreparedAnswer.isKnown(known, to: request) { return PreparedAnswer.notModified(known) }
        return listCache.answer(to: query, from: registry, at: { clock.now() }).response(to: request)
    }
}
