// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing

/// What a scrape of one target asks, and how the result is told.
struct ProbeQuestion: Sendable {
    let module: String
    let target: String
    let request: ProbeRequest

    func metrics(_ result: ProbeResult, _ format: MetricsFormat) -> [UInt8] {
        var writer = MetricsWriter(format, reserving: 4_096)
        ProbeFamily.write(ProbeSample(labels: [], request: request, result: result), to: &writer)
        writer.end()
        return writer.bytes
    }

    /// For people who look for why.
    func log(_ result: ProbeResult) -> [UInt8] {
        var lines = [
            "module: \(module) (\(request.kind.name))", "target: \(target)", "asked: \(request.host)",
            "timeout: \(request.timeout)", "", "outcome: \(result.outcome.rawValue)",
        ]
        if let reason = result.reason { lines.append("reason: \(reason.rawValue)") }
        lines.append("detail: \(result.detail)")
        lines.append("duration: \(result.duration)")
        for phase in ProbePhase.allCases {
            if let time = result.phases[phase] { lines.append("  \(phase.rawValue): \(time)") }
        }
        for address in result.addresses {
            lines.append("address: \(address.address), \(address.outcome.rawValue): \(address.detail)")
        }
        let metrics = metrics(result, .text)
        return Array((lines.joined(separator: "\n") + "\n\nmetrics:\n").utf8) + metrics
    }
}
