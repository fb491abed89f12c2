// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import JSON
import Monitoring

extension JSONWriter {
    /// The activity indicator (A1).
    mutating func activityMembers(_ activity: ActivityStatus) {
        member("state", activity.state.name)
        member("visible", activity.isVisible)
        member("count", activity.count)
    }

    /// How the probes' schedule is kept.
    mutating func probingMembers(_ statistics: ProbingStatistics) {
        member("started", statistics.started)
        member("finished", statistics.finished)
        member("missed", statistics.missed)
        member("suspensions", statistics.suspensions)
        member("lag") {
            $0.member("p50_seconds", statistics.medianLag)
            $0.member("p99_seconds", statistics.lag99)
            $0.member("max_seconds", statistics.longestLag)
        }
    }
}
