// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a request shows to be let in. Secrets are in files and appear in no detail, description or result.
package enum HTTPCredentials: Sendable, Hashable {
    /// User and password (RFC 7617); the file has the password as its only line.
    case basic(user: String, passwordFile: String)
    /// A token (RFC 6750); the file has it as its only line.
    case bearer(tokenFile: String)
}
