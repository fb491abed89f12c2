// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One record of an answer.
package struct DNSRecord: Sendable, Hashable {
    /// The name it is about, with a dot at the end.
    package let name: String
    /// Its type.
    package let type: DNSRecordType
    /// How long it holds, in seconds.
    package let timeToLive: UInt32
    /// Its data as a zone file has them: `10 mail.example.`; a text's parts joined; of other types `\# 2 0aff`.
    package let data: String
}
