// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a name server said.
public struct DNSAnswer: Sendable, Hashable {
    /// The response code.
    public let code: DNSResponseCode
    /// Whether the server says that it is the authority.
    public let isAuthoritative: Bool
    /// The records of the answer section, at most 256.
    public let answers: [DNSRecord]
    /// The least time to live of the answers, in seconds; nil without one.
    public let timeToLive: UInt32?
    /// How many records the authority section announces.
    public let authorityCount: Int
    /// How many records the additional section announces.
    public let additionalCount: Int
}
