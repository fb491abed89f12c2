// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing

/// The header `Retry-After` (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// Seconds from now on; nil for a text that is neither a number nor a date.
    static func seconds(_ text: String, now: Timestamp) -> UInt64? {
        if let number = UInt64(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return number }
        guard let moment = HTTPMoment(Array(text.utf8)) else { return nil }
        return UInt64(max(0, moment.seconds - now.milliseconds / 1000))
    }
}
