// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

extension MessageIncident {
    /// How long it has lasted, in milliseconds.
    ///
    /// - Parameter moment: The time of the message, the end while the incident is open.
    func milliseconds(at moment: Timestamp) -> Int64 {
        let (length, isTooLong) = (closedAt ?? moment).milliseconds.subtractingReportingOverflow(openedAt.milliseconds)
        return isTooLong ? 0 : max(0, length)
    }

    /// The same for people, in at most two units: `45 s`, `4 min`, `3 h 12 min`, `2 days`.
    func duration(at moment: Timestamp) -> String {
        let seconds = milliseconds(at: moment) / 1_000
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3_600: return "\(seconds / 60) min"
        case ..<172_800:
            let minutes = seconds % 3_600 / 60
            return "\(seconds / 3_600) h" + (minutes == 0 ? "" : " \(minutes) min")
        default: return "\(seconds / 86_400) days"
        }
    }
}
