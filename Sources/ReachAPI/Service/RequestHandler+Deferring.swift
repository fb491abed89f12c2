// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer

extension RequestHandler {
    /// Answers when the response is known; at once where that is before this call ends.
    ///
    /// - Parameters:
    ///   - request: what is answered.
    ///   - begin: passes the question on, with where to deliver the response: once, on any thread, possibly inside this call.
    func respond(
        to request: HTTPRequest,
        _ begin: (@escaping @Sendable (HTTPResponse) -> Void) -> Void
    ) -> HTTPResponse {
        let deferred = DeferredResponse()
        begin(deferred.complete)
        return deferred.take() ?? HTTPResponse(status: 200, body: .deferred(deferred))
    }
}
