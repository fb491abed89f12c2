// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What an HTTP server said in the end.
public struct HTTPAnswer: Sendable, Hashable {
    /// The status.
    public let status: Int
    /// The version: `1.0`, `1.1` or `2`.
    public let version: String
    /// How many bytes of the body were read, after decompression.
    public let bodySize: Int
    /// Whether that is all of it: it is not when it is larger than the limit.
    public let isBodyComplete: Bool
    /// The header `Content-Type`, at most 256 bytes of it.
    public let contentType: String?
    /// How many redirects were followed.
    public let redirects: Int
    /// The URL that answered, without user and password.
    public let url: String
}
