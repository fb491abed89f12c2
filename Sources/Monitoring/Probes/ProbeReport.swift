// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Probing

/// A probe's result with its circumstances; shared by every record that speaks of it.
package final class ProbeReport: Sendable {
    /// What it came to.
    package let result: ProbeResult
    /// When it ended.
    package let at: Timestamp
    /// How much too late it was started.
    package let lag: Duration
    /// Why it is not a success, and whose fault that is; nil for a success.
    package let finding: ProbeFinding?

    /// Whether the target called, or should have: nothing was asked, and nothing took time.
    package let isHeartbeat: Bool

    /// How long the target took to answer; nil when it failed, or calls by itself.
    package var latency: Duration? { result.outcome == .failure || isHeartbeat ? nil : result.responseTime }

    /// Creates a report.
    package init(
        _ result: ProbeResult,
        at: Timestamp,
        lag: Duration,
        finding: ProbeFinding?,
        isHeartbeat: Bool = false
    ) {
        self.result = result
        self.at = at
        self.lag = lag
        self.finding = finding
        self.isHeartbeat = isHeartbeat
    }
}
