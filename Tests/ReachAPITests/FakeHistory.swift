// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import Monitoring

/// A durable log that is as a test says.
struct FakeHistory: HistoryReporting {
    let status: HistoryStatus
    let isRequired: Bool

    init(failure: HistoryError.Code? = nil, isRequired: Bool = false) {
        var status = HistoryStatus(
            state: failure == nil ? .ok : .degraded,
            since: Timestamp(milliseconds: 1_795_000_000_000),
            failure: failure.map { HistoryError($0, "open /secret/place: no") }
        )
        status.oldest = 7
        status.oldestTime = Timestamp(milliseconds: 1_794_000_000_000)
        status.bytes = 4096
        self.status = status
        self.isRequired = isRequired
    }

    var isDurable: Bool { status.state == .ok }
}
