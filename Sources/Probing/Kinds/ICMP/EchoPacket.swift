// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// One echo request to send.
struct EchoPacket {
    let address: IPAddress
    let origin: ProbeOrigin
    /// The run's identifier; a datagram socket replaces it by its own.
    let identifier: UInt16
    /// Begins with the run's random bytes, by which a late reply to somebody else's request is told apart.
    let data: [UInt8]
    let timeToLive: UInt8?
    let dontFragment: Bool
}
