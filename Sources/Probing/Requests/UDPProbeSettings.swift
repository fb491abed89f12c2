// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A datagram and its reply.
public struct UDPProbeSettings: Sendable, Hashable {
    /// What must come back.
    public enum Reply: Sendable, Hashable {
        /// Nothing: it is enough that no ICMP error comes within a time, which the run's timeout bounds. A silent
        /// firewall looks the same.
        case notExpected(patience: Duration = .milliseconds(500))
        /// Any datagram.
        case any
        /// A datagram that matches.
        case matching(ProbePattern)
    }

    /// The port to send to.
    public var port: UInt16
    /// What to send; may be empty.
    public var payload: [UInt8]
    /// What must come back.
    public var reply: Reply

    /// Creates settings.
    public init(port: UInt16, payload: [UInt8], reply: Reply = .any) {
        self.port = port
        self.payload = payload
        self.reply = reply
    }
}
