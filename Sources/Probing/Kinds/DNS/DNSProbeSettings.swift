// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A question to the name server that the request's host is, and what must be in the answer.
package struct DNSProbeSettings: Sendable, Hashable {
    /// How the question travels.
    package enum Transport: String, Sendable, Hashable, CaseIterable {
        /// UDP; an answer that does not fit is asked for again over TCP.
        case udp
        /// TCP.
        case tcp
    }

    /// The name to ask for.
    package var name: String
    /// The type to ask for.
    package var type: DNSRecordType
    /// The class to ask for; 1 is the Internet, 3 is CHAOS (`version.bind`).
    package var recordClass: UInt16
    /// The server's port.
    package var port: UInt16
    /// How the question travels.
    package var transport: Transport
    /// Whether the server is asked to ask others.
    package var recursionDesired: Bool
    /// The response codes that are right.
    package var expectedCodes: Set<DNSResponseCode>
    /// How many records of the type asked for must be in an answer whose code is NOERROR.
    package var minimumAnswers: Int
    /// Each of these must match the data of a record of the answer.
    package var requiredAnswers: [ProbePattern]
    /// None of these may match the data of a record of the answer.
    package var refusedAnswers: [ProbePattern]
    /// Whether the server must say that it is the authority.
    package var requiresAuthority: Bool

    /// Creates settings; everything but the name has a default.
    package init(
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
