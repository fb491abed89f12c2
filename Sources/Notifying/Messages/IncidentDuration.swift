// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

extension MessageIncident {
    /// How long it has lasted, in milliseconds.
    ///
    /// - Parameter moment: The time of the message, the end while the incident is open.
    func milliseconds(at moment: Timestamp) -> Int64 {
        let (length, isTooLong) = (closedAt ?? moment).milliseconds.subtractingReportingOverflow(openedAt.milliseconds)
        return isTooLong ? 0 : max(0, length)
    }

    /// The same for people: `45 s`, `4 min`, `3 h 12 min`, `2 days`.
    func duration(at moment: Timestamp) -> String { LengthOfTime.text(milliseconds: milliseconds(at: moment)) }
}
