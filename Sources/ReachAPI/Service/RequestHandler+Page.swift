// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer

/// The page for people.
extension RequestHandler {
    /// Its links are relative, so it has to be read where they begin: at a path that ends with a slash.
    func page(_ request: HTTPRequest) -> HTTPResponse {
        let path = Router.absoluteForm(request.path).map { String($0.path) } ?? request.path
        guard path.utf8.last == UInt8(ascii: "/") else {
            let query = request.query.map { "?" + $0 } ?? ""
            let headers = [
                HTTPHeader("Location", path + "/" + query), HTTPHeader("Cache-Control", "no-cache"), .noSniffing,
            ]
            return HTTPResponse(status: 308, headers: headers)
        }
        return page.document(request)
    }
}
