// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Probing

/// How a target is asked whether it answers, and what its answers come to.
package struct ProbePlan: Sendable, Hashable {
    /// Who begins.
    package enum Method: Sendable, Hashable {
        /// reachd asks the target.
        case ask(ProbeRequest)
        /// The target calls reachd (`push`): it has the interval of ``verdict`` for it, and so much longer.
        case heartbeat(grace: Duration)
    }

    /// Who begins, and with what.
    package var method: Method
    /// How many results make a verdict, and how long to wait between them.
    package var verdict: VerdictSettings
    /// How much a turn may be moved, as a fraction of the interval; see ``ProbeSchedule``.
    package var jitter: Double

    /// Creates a plan.
    package init(_ method: Method, verdict: VerdictSettings = .standard, jitter: Double = 0.1) {
        self.method = method
        self.verdict = verdict
        self.jitter = jitter
    }

    /// Whether the target is the one that calls.
    package var isHeartbeat: Bool {
        if case .heartbeat = method { true } else { false }
    }

    /// The kind's name in configuration and interface: `tcp`, `http`, … or `push`.
    package var type: String {
        switch method {
        case .ask(let request): request.kind.name
        case .heartbeat: "push"
        }
    }
}
