// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A protocol that begins in clear text and goes over to TLS when asked.
package enum StartTLSProtocol: String, Sendable, Hashable, CaseIterable {
    /// Mail, `STARTTLS` (RFC 3207).
    case smtp
    /// Mailboxes, `STARTTLS` (RFC 3501, section 6.2.1).
    case imap
    /// Mailboxes, `STLS` (RFC 2595).
    case pop3
    /// Files, `AUTH TLS` (RFC 4217).
    case ftp
}
