// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Which targets are watched and reported to a receiver, where the log does not say that one no longer is: it was removed while
/// reachd did not run, its removal was lost with the power, or the receiver's filter is another.
struct ReportedTargets: Sendable {
    /// The last number of the log's events that are older than this: only behind them it is known what they left open.
    let beginning: UInt64
    /// Why a target is not reported; nil: it is.
    let ending: @Sendable (_ target: String) -> StateChange.Ending?

    init(beginning: UInt64, ending: @escaping @Sendable (_ target: String) -> StateChange.Ending?) {
        self.beginning = beginning
        self.ending = ending
    }
}
