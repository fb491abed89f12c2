// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What is wrong with a line of a file that is to be imported.
package struct TransferError: Error, Sendable, Hashable {
    /// In words.
    package let message: String

    init(_ message: String) { self.message = message }
}
