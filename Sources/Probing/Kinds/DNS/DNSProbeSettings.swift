// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A question to the name server that the request's host is, and what must be in the answer.
public struct DNSProbeSettings: Sendable, Hashable {
    /// How the question travels.
    public enum Transport: String, Sendable, Hashable, CaseIterable {
        /// UDP; an answer that does not fit is asked for again over TCP.
        case udp
        /// TCP.
        case tcp
    }

    /// The name to ask for.
    public var name: String
    /// The type to ask for.
    public var type: DNSRecordType
    /// The class to ask for; 1 is the Internet, 3 is CHAOS (`version.bind`).
    public var recordClass: UInt16
    /// The server's port.
    public var port: UInt16
    /// How the question travels.
    public var transport: Transport
    /// Whether the server is asked to ask others.
    public var recursionDesired: Bool
    /// The response codes that are right.
    public var expectedCodes: Set<DNSResponseCode>
    /// How many records of the type asked for must be in an answer whose code is NOERROR.
    public var minimumAnswers: Int
    /// Each of these must match the data of a record of the answer.
    public var requiredAnswers: [ProbePattern]
    /// None of these may match the data of a record of the answer.
    public var refusedAnswers: [ProbePattern]
    /// Whether the server must say that it is the authority.
    public var requiresAuthority: Bool

    /// Creates settings; everything but the name has a default.
    public init(
        name: String,
        type: DNSRecordType = .a,
        recordClass: UInt16 = 1,
        port: UInt16 = 53,
        transport: Transport = .udp,
        recursionDesired: Bool = true,
        expectedCodes: Set<DNSResponseCode> = [.noError],
        minimumAnswers: Int = 1,
        requiredAnswers: [ProbePattern] = [],
        refusedAnswers: [ProbePattern] = [],
        requiresAuthority: Bool = false
    ) {
        self.name = name
        self.type = type
        self.recordClass = recordClass
        self.port = port
        self.transport = transport
        self.recursionDesired = recursionDesired
        self.expectedCodes = expectedCodes
        self.minimumAnswers = minimumAnswers
        self.requiredAnswers = requiredAnswers
        self.refusedAnswers = refusedAnswers
        self.requiresAuthority = requiresAuthority
    }
}
