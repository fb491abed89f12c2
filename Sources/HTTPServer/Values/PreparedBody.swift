// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Bytes with header fields, handed to the HTTP library once and sent to any number of clients without a copy.
public final class PreparedBody: Sendable {
    /// The bytes.
    public let bytes: [UInt8]

    /// Prepares bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}
