// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import JSON
import Monitoring

/// How the durable event log is, in `/status` and `/readyz`.
extension JSONWriter {
    mutating func historyMembers(_ history: HistoryStatus, rollups: RollupStatus? = nil) {
        member("state", history.state.rawValue)
        guard history.state != .off else { return }
        member("since", history.since)
        if let failure = history.failure { member("reason") { $0.reasonMembers(failure.code) } }
        member("waiting", history.waiting)
        member("failures", history.failures)
        member("lost", history.lost)
        if let oldest = history.oldest { member("oldest_sequence", oldest) }
        if let time = history.oldestTime { member("oldest_at", time) }
        member("bytes", history.bytes)
        if let rollups { member("rollups") { $0.rollupMembers(rollups) } }
    }

    private mutating func rollupMembers(_ rollups: RollupStatus) {
        member("state", rollups.failure == nil ? "ok" : "degraded")
        if let failure = rollups.failure { member("reason") { $0.reasonMembers(failure) } }
        member("waiting", rollups.waiting)
        member("lost", rollups.lost)
        member("bytes", rollups.bytes)
    }

    private mutating func reasonMembers(_ code: HistoryError.Code) {
        member("code", code.rawValue)
        member("detail", code.summary)
    }
}
