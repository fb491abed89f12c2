// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing

/// What came of a try.
enum SendOutcome: Sendable, Hashable {
    /// 2xx.
    case accepted(status: Int)
    /// The receiver does not want it: 1xx, 3xx, and 4xx but for those that ask to come again.
    case refused(DeliveryFailure)
    /// It may go well another time, in so many seconds at the earliest if the receiver said so.
    case failed(DeliveryFailure, retryAfter: UInt64?)

    /// Judges an answer (RFC 9110, section 15).
    init(status: Int, retryAfter: UInt64?) {
        let failure = DeliveryFailure(code: "http_\(status)", detail: "the receiver answers \(status)")
        switch status {
        case 200..<300: self = .accepted(status: status)
        case 408, 425, 429, 500...: self = .failed(failure, retryAfter: retryAfter)
        default: self = .refused(failure)
        }
    }
}
