// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What became of an echo request.
enum EchoEvent: Equatable {
    /// The reply, with the round trip in nanoseconds, and the hop limit that it arrived with where the kernel says it.
    case reply(UInt64, hopLimit: UInt8?)
    /// An ICMP error about it.
    case error(ProbeReason)
}
