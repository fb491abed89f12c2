// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Probing

/// A probe's result with its circumstances; shared by every record that speaks of it.
public final class ProbeReport: Sendable {
    /// What it came to.
    public let result: ProbeResult
    /// When it ended.
    public let at: Timestamp
    /// How much too late it was started.
    public let lag: Duration
    /// Why it is not a success, and whose fault that is; nil for a success.
    public let finding: ProbeFinding?

    /// Whether the target called, or should have: nothing was asked, and nothing took time.
    public let isHeartbeat: Bool

    /// How long the target took to answer; nil when it failed, or calls by itself.
    public var latency: Duration? { result.outcome == .failure || isHeartbeat ? nil : result.responseTime }

    /// Creates a report.
    public init(
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
