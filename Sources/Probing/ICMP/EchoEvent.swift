// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What became of an echo request.
enum EchoEvent: Equatable {
    /// The reply, with the round trip in nanoseconds.
    case reply(UInt64)
    /// An ICMP error about it.
    case error(ProbeReason)
}
