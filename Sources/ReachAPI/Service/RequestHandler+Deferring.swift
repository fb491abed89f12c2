// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer

extension RequestHandler {
    /// Answers when somebody else has the response; at once where that is so before this call ends.
    ///
    /// - Parameters:
    ///   - request: what is answered.
    ///   - isHead: whether only its fields are wanted.
    ///   - begin: hands the question on, with where to give the response: once, on any thread, possibly from inside this call.
    func respond(
        to request: HTTPRequest,
        isHead: Bool = false,
        _ begin: (@escaping @Sendable (HTTPResponse) -> Void) -> Void
    ) -> HTTPResponse {
        let answer = DeferredResponse(isHead: isHead)
        // An answer that comes later goes past who adds these to all others.
        let fields = CrossOrigin.fields(for: request, allowed: gate.current.origins)
        let done = FinishedResponse()
        begin { [weak self] response in
            done.set(response)
            var late = response
            late.headers += fields
            answer.complete(with: late)
            self?.wakeStreams()
        }
        return done.take() ?? HTTPResponse(status: 200, body: .stream(answer))
    }
}
