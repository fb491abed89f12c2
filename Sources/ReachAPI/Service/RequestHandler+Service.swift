// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring

/// What the service tells of itself.
extension RequestHandler {
    func readiness(_ request: HTTPRequest) -> HTTPResponse {
        let overview = registry.overview
        if overview.isReady { return alive.response(to: request) }
        var writer = JSONWriter()
        writer.object {
            $0.member("status", "starting")
            $0.member("waiting_for", overview.awaiting)
        }
        let headers = [
            HTTPHeader("Content-Type", "application/json"), HTTPHeader("Cache-Control", "no-cache"), .noSniffing,
        ]
        return HTTPResponse(status: 503, headers: headers, body: .bytes(writer.bytes))
    }

    static func version(_ service: ServiceInformation) -> PreparedAnswer {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("name", service.name)
            writer.member("version", service.version)
            writer.member("build") { writer in
                for (name, value) in service.build.sorted(by: { $0.key < $1.key }) { writer.member(named: name, value) }
            }
        }
        return PreparedAnswer(constant: writer.bytes)
    }
}
