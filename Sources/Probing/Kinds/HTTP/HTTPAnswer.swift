// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What an HTTP server said in the end.
package struct HTTPAnswer: Sendable, Hashable {
    /// The status.
    package let status: Int
    /// The version: `1.0`, `1.1` or `2`.
    package let version: String
    /// How many bytes of the body were read, after decompression.
    package let bodySize: Int
    /// Whether that is all of it: it is not when it is larger than the limit.
    package let isBodyComplete: Bool
    /// The header `Content-Type`, at most 256 bytes of it.
    package let contentType: String?
    /// The header `Retry-After`, at most 64 bytes of it.
    package let retryAfter: String?
    /// How many redirects were followed.
    package let redirects: Int
    /// The URL that answered, without user and password.
    package let url: String
    /// The header `Content-Length`: the bytes of the body as it is sent.
    package let contentLength: Int?
    /// The header `Last-Modified`, in seconds since 1970.
    package let lastModified: Int64?

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

extension HTTPAnswer: ProbeAnswer {
    package static let kind: StaticString = "http"

    package static let facts: [Fact<Self>] = [
        Fact("status", "Status") { .integer($0.status) },
        Fact("version", "HTTP") { .text($0.version) },
        Fact("content_type", "Type") { $0.contentType.map(FactValue.text) },
        Fact("body_bytes", "Bytes") { .integer($0.bodySize) },
        Fact("is_body_complete", "Whole body") { $0.isBodyComplete ? nil : .flag(false) },
        Fact("redirects", "Redirects") { $0.redirects > 0 ? .integer($0.redirects) : nil },
        // Tokens stand in queries.
        Fact("url", "URL") { $0.url.isEmpty ? nil : .text(HTTPURL.withoutQuery($0.url)) },
    ]

    package func summary(_ words: (Duration) -> String) -> String {
        let type = contentType.map { ", \($0)" } ?? ""
        return "HTTP/\(version) \(status)\(type), \(bodySize) bytes" + (isBodyComplete ? "" : " read of more")
    }

    package var hidingAddress: Self? {
        HTTPAnswer(
            status: status,
            version: version,
            bodySize: bodySize,
            isBodyComplete: isBodyComplete,
            contentType: contentType,
            retryAfter: retryAfter,
            redirects: redirects,
            url: "",
            contentLength: contentLength,
            lastModified: lastModified
        )
    }
}

extension ProbeResult {
    /// The answer to an http probe.
    package var http: HTTPAnswer? { answers.first() }
}
