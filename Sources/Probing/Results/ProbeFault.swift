// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A reason with its detail, before there is a result to put it in.
package struct ProbeFault: Error, Hashable {
    package let reason: ProbeReason
    package let detail: String
    /// What the kernel reported about the packet, when that is the reason.
    package let packetError: PacketError?

    package init(reason: ProbeReason, detail: String, packetError: PacketError? = nil) {
        self.reason = reason
        self.detail = detail
        self.packetError = packetError
    }
}
