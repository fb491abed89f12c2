// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import Monitoring

/// How the durable event log is, in `/status` and `/readyz`.
extension JSONWriter {
    mutating func historyMembers(_ history: HistoryStatus) {
        member("state", history.state.rawValue)
        guard history.state != .off else { return }
        member("since", history.since)
        if let failure = history.failure {
            member("reason") { writer in
                writer.member("code", failure.code.rawValue)
                writer.member("detail", failure.code.summary)
            }
        }
        member("waiting", history.waiting)
        member("failures", history.failures)
        member("lost", history.lost)
        if let oldest = history.oldest { member("oldest_sequence", oldest) }
        if let time = history.oldestTime { member("oldest_at", time) }
        member("bytes", history.bytes)
    }
}
