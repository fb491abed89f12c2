// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import History
import JSON
import Monitoring

/// What the service tells of itself.
extension RequestHandler {
    func readiness(_ request: HTTPRequest) -> HTTPResponse {
        let overview = registry.overview
        if overview.isReady { return logReadiness(request) }
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

    /// The targets are judged; what is left is the durable log. Without it everything but replay over a restart works, and a
    /// manager that took reachd out of service for it would end the monitoring too: so it is ready, unless somebody said that
    /// it must not be without.
    private func logReadiness(_ request: HTTPRequest) -> HTTPResponse {
        guard let history, !history.isDurable else { return alive.response(to: request) }
        let isReady = !history.isRequired
        var writer = JSONWriter()
        writer.object {
            $0.member("status", isReady ? "ok" : "degraded")
            $0.member("history") { $0.historyMembers(history.status) }
        }
        let headers = [HTTPHeader("Content-Type", "application/json"), HTTPHeader("Cache-Control", "no-cache")]
        return HTTPResponse(status: isReady ? 200 : 503, headers: headers, body: .bytes(writer.bytes))
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
