// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

/// What `recvmsg(2)` said besides the bytes.
struct ReceivedEcho {
    /// How many bytes of the buffer are the message's.
    var count = 0
    /// The sender; from the error queue, whom the request was sent to.
    var address: IPAddress?
    /// When the kernel had it, in nanoseconds of the real-time clock.
    var time: UInt64?
    /// The hop limit that it arrived with, with IPv4 its time to live.
    var hopLimit: UInt8?
    /// The ICMP type and code of an error.
    var error: (type: UInt8, code: UInt8)?
}
