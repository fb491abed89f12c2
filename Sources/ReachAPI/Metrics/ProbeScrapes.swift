// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing
import Synchronization

/// Counts the probes of `/probe` and their results.
final class ProbeScrapes: Sendable {
    struct Counts: Sendable {
        var successes: UInt64 = 0
        var failures: UInt64 = 0
        var refusals: UInt64 = 0
        var overloads: UInt64 = 0
        var inFlight = 0
    }

    /// The maximum number of concurrent probes; more are refused. They are independent of the targets' probes, which
    /// have their own limits.
    static let limit = 256

    private let state = Mutex(Counts())

    var counts: Counts { state.withLock { $0 } }

    /// Takes a slot; false when there is none.
    func begin() -> Bool {
        state.withLock { state in
            guard state.inFlight < Self.limit else {
                state.overloads += 1
                return false
            }
            state.inFlight += 1
            return true
        }
    }

    /// Releases the slot with the result; nil when the service stopped before.
    func end(_ result: ProbeResult?) {
        state.withLock { state in
            state.inFlight -= 1
            switch (result?.outcome, result?.reason) {
            case (_, .targetDenied): state.refusals += 1
            case (.success, _), (.degraded, _): state.successes += 1
            case (.failure, _), (nil, _): state.failures += 1
            }
        }
    }

    func refused() { state.withLock { $0.refusals += 1 } }
}

/// The probe of one scrape, and the format of its result.
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

    /// The result as a log for people.
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
