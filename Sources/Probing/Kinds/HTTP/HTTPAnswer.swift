// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The final response of an HTTP server.
package struct HTTPAnswer: Sendable, Hashable {
    /// The status.
    package let status: Int
    /// The version: `1.0`, `1.1` or `2`.
    package let version: String
    /// The number of body bytes read, after decompression.
    package let bodySize: Int
    /// Whether the body was read completely; false when it is larger than the limit.
    package let isBodyComplete: Bool
    /// The header `Content-Type`, at most 256 bytes.
    package let contentType: String?
    /// The header `Retry-After`, at most 64 bytes.
    package let retryAfter: String?
    /// The number of redirects followed.
    package let redirects: Int
    /// The URL of the response, without credentials.
    package let url: String
    /// The header `Content-Length`: the size of the body as transferred.
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
        Fact("version", "Version") { .text($0.version) },
        Fact("content_type", "Content type") { $0.contentType.map(FactValue.text) },
        Fact("body_bytes", "Body size in bytes") { .integer($0.bodySize) },
        Fact("is_body_complete", "Body is complete") { $0.isBodyComplete ? nil : .flag(false) },
        Fact("redirects", "Redirects") { $0.redirects > 0 ? .integer($0.redirects) : nil },
        // Queries may contain tokens.
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

extension HTTPAnswer {
    /// Creates an answer from the last response.
    init(_ response: CurlResponse, url: HTTPURL, redirects: Int) {
        self.init(
            status: response.status,
            version: response.version == 20 ? "2" : response.version == 10 ? "1.0" : "1.1",
            bodySize: response.bodySize,
            isBodyComplete: response.stop == nil,
            contentType: response.contentType.map { String(decoding: $0.prefix(256), as: UTF8.self) },
            retryAfter: response.retryAfter.map { String(decoding: $0.prefix(64), as: UTF8.self) },
            redirects: redirects,
            url: url.description,
            contentLength: response.contentLength.flatMap { Int(String(decoding: $0.prefix(20), as: UTF8.self)) },
            lastModified: response.lastModified.flatMap(HTTPMoment.init)?.seconds
        )
    }
}

/// An HTTP date: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7); the two obsolete formats are not supported.
package struct HTTPMoment {
    /// In seconds since 1970.
    package let seconds: Int64

    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= 40 else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT", parts[3].utf8.count == 4,
            let day = Self.number(parts[1]), (1...31).contains(day),
            let month = Self.months.firstIndex(of: String(parts[2])), let year = Self.number(parts[3])
        else { return nil }
        let time = parts[4].split(separator: ":").compactMap(Self.number)
        guard time.count == 3, time[0] < 24, time[1] < 60, time[2] <= 60 else { return nil }
        let days = Self.days(year, Int64(month) + 1, day)
        seconds = ((days * 24 + time[0]) * 60 + time[1]) * 60 + time[2]
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }

    /// Returns the days since 1970 in the Gregorian calendar, for years from 0 on. Years are counted from March, so
    /// that a leap day is the last day of its year.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
