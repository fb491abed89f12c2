// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import JSON
import Monitoring

/// The body of `/targets/{id}/uptime`.
extension JSONWriter {
    mutating func uptime(_ windows: [(UptimeWindow, HistoryWindow)], of target: String) {
        object { writer in
            writer.member("target", target)
            writer.member("windows") { writer in
                for (name, window) in windows {
                    writer.key(name.rawValue)
                    writer.object { $0.windowMembers(window) }
                }
            }
        }
    }

    /// Writes the members that a window and its slices share.
    mutating func stateSeconds(_ bucket: RollupBucket) {
        member("state_seconds") { writer in
            for state in TargetState.allCases where bucket.times[state] > 0 {
                writer.key(state.rawValue)
                writer.seconds(milliseconds: bucket.times[state])
            }
        }
    }

    private mutating func windowMembers(_ window: HistoryWindow) {
        member("from", window.from)
        member("to", window.to)
        if let ratio = window.uptimeRatio { member("uptime_ratio", ratio: ratio) }
        member("coverage_ratio", ratio: window.coverageRatio)
        stateSeconds(window.bucket)
        member("probes", window.bucket.probes)
        member("failures", window.bucket.failures)
        let latencies = window.bucket.latencies
        quantile("p50_seconds", 0.5, latencies)
        quantile("p90_seconds", 0.9, latencies)
        quantile("p95_seconds", 0.95, latencies)
        quantile("p99_seconds", 0.99, latencies)
    }

    mutating func quantile(_ name: StaticString, _ share: Double, _ latencies: LatencySketch) {
        guard let value = latencies.quantile(share) else { return }
        member(name, .microseconds(Int64(clamping: value)))
    }
}
