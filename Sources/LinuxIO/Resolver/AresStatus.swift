// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CAres

/// c-ares's result codes as numbers, which is how its functions return them.
enum AresStatus {
    static let success = Int32(reachd_ares_success.rawValue)
    static let noData = Int32(reachd_ares_no_data.rawValue)
    static let badFormat = Int32(reachd_ares_bad_format.rawValue)
    static let serverFailure = Int32(reachd_ares_server_failure.rawValue)
    static let notFound = Int32(reachd_ares_not_found.rawValue)
    static let notImplemented = Int32(reachd_ares_not_implemented.rawValue)
    static let refused = Int32(reachd_ares_refused.rawValue)
    static let badName = Int32(reachd_ares_bad_name.rawValue)
    static let badAnswer = Int32(reachd_ares_bad_answer.rawValue)
    static let connectionRefused = Int32(reachd_ares_connection_refused.rawValue)
    static let timedOut = Int32(reachd_ares_timed_out.rawValue)
    static let destroyed = Int32(reachd_ares_destroyed.rawValue)
    static let cancelled = Int32(reachd_ares_cancelled.rawValue)
}
