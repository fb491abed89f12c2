// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What holds for all probes.
package struct ProbingSettings: Sendable, Hashable {
    /// How many may run at the same time.
    package var limits = StartLimits.standard
    /// Over which time the first probes of all targets are spread, when reachd starts and when the machine wakes up.
    package var spread: Duration = .seconds(4)
    /// From which lag on a missing answer is no evidence against a target.
    package var lagLimit: Duration = .seconds(1)
    /// Targets far out that are nearly always there, by their ids: when too few answer, the internet is down.
    package var anchors: [String] = []
    /// How many anchors have to answer.
    package var quorum = 1

    /// The defaults.
    package init() {}
}
