// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer

/// What a browser is told of pages of other sites (CORS): those that are allowed may read, and send a token; never with
/// what the browser would add by itself.
enum CrossOrigin {
    /// The fields for an answer to a page of an allowed site.
    static func fields(for request: HTTPRequest, allowed: Set<String>) -> [HTTPHeader] {
        guard !allowed.isEmpty else { return [] }
        guard let origin = request.header("Origin"), allowed.contains(origin) else {
            // Whether it is allowed depends on the field, so no cache may mix the two up.
            return [HTTPHeader("Vary", "Origin")]
        }
        return [
            HTTPHeader("Vary", "Origin"), HTTPHeader("Access-Control-Allow-Origin", origin),
            HTTPHeader("Access-Control-Expose-Headers", "ETag, Location, Retry-After"),
        ]
    }

    /// The fields for the question before a request (preflight); none when it is no such question.
    static func preflight(_ request: HTTPRequest, methods: [HTTPMethod], allowed: Set<String>) -> [HTTPHeader] {
        guard let origin = request.header("Origin"), allowed.contains(origin),
            request.header("Access-Control-Request-Method") != nil
        else { return [] }
        return [
            HTTPHeader("Access-Control-Allow-Methods", methods.map(\.rawValue).joined(separator: ", ")),
            HTTPHeader(
                "Access-Control-Allow-Headers",
                "Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID"
            ),
            HTTPHeader("Access-Control-Max-Age", "600"),
        ]
    }
}
