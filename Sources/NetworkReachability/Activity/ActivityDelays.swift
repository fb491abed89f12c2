// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import Foundation

/// The two delays as they were set, in seconds (contract A1).
struct ActivityDelays: Sendable {
    var activation: TimeInterval = 1.0
    var completion: TimeInterval = 0.17

    /// How long a timer that starts now runs: never less than 0.1 milliseconds, as on a run loop (contract A24).
    ///
    /// What is no number is the shortest; more than a year, infinity too, is a year.
    func duration(of timer: ActivityTimer) -> Duration {
        let seconds = timer == .activation ? activation : completion
        guard seconds > 0.000_1 else { return .microseconds(100) }
        return .nanoseconds(Int64((min(seconds, 365 * 86_400) * 1e9).rounded()))
    }
}
