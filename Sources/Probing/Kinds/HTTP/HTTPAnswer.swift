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
    /// The header `Retry-After`, at most 64 bytes of it.
    public let retryAfter: String?
    /// How many redirects were followed.
    public let redirects: Int
    /// The URL that answered, without user and password.
    public let url: String
    /// The header `Content-Length`: the bytes of the body as it is sent.
    public let contentLength: Int?
    /// The header `Last-Modified`, in seconds since 1970.
    public let lastModified: Int64?

    init(
        status: Int,
        version: String,
        bodySize: Int,
        isBodyComplete: Bool,
        contentType: String?,
        retryAfter: String? = nil,
        redirects: Int,
        url: String,
        contentLength: Int? = nil,
        lastModified: Int64? = nil
    ) {
        self.status = status
        self.version = version
        self.bodySize = bodySize
        self.isBodyComplete = isBodyComplete
        self.contentType = contentType
        self.retryAfter = retryAfter
        self.redirects = redirects
        self.url = url
        self.contentLength = contentLength
        self.lastModified = lastModified
    }
}
