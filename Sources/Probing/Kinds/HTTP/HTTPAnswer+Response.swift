// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension HTTPAnswer {
    /// What came of the last request.
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
