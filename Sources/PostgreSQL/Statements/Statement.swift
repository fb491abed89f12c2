// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// An SQL statement with a name for error messages and logs.
///
/// It is sent with the extended protocol, unnamed and in text format, so that it works through a pooler in transaction mode.
package struct Statement: Sendable, Hashable {
    /// The text, with parameters `$1`, `$2` and so on.
    package let sql: String
    /// The name in error messages, for example `renew_lease`; nil for none.
    package let name: String?

    /// Creates a statement.
    package init(_ sql: String, name: String? = nil) {
        self.sql = sql
        self.name = name
    }
}
