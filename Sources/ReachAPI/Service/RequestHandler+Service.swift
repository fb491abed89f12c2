// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import HTTPServer
import History
import JSON
import Monitoring
import Probing

/// The service's own state.
extension RequestHandler {
    func readiness(_ request: HTTPRequest) -> HTTPResponse {
        let overview = registry.overview
        if overview.isReady { return storageReadiness(request) }
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

    /// The targets are evaluated; what remains is the durable log and the fleet. Without them everything but replay across a
    /// restart and the fleet's views works, and an orchestrator that took reachd out of service would end the monitoring too: so it
    /// is ready, unless the log is configured as required.
    private func storageReadiness(_ request: HTTPRequest) -> HTTPResponse {
        let degraded = history.flatMap { $0.isDurable ? nil : $0 }
        let problems = wiring.fleet()?.problems ?? []
        guard degraded != nil || !problems.isEmpty else { return alive.response(to: request) }
        let isReady = degraded?.isRequired != true
        var writer = JSONWriter()
        writer.object {
            $0.member("status", isReady ? "ok" : "degraded")
            if let degraded { $0.member("history") { $0.historyMembers(degraded.status) } }
            if !problems.isEmpty { $0.member("fleet") { $0.fleetProblems(problems) } }
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

extension RequestHandler {
    /// `GET /kinds`: the kinds of probes, for forms and for readers of results; constant for the life of the process.
    static let kindsAnswer: PreparedAnswer = {
        var writer = JSONWriter()
        writer.object { writer in
            writer.key("kinds")
            writer.array(ProbeKind.all) { writer, kind in writer.object { $0.members(of: kind.description) } }
        }
        return PreparedAnswer(constant: writer.bytes)
    }()
}

extension JSONWriter {
    fileprivate mutating func members(of kind: ProbeKindDescription) {
        member("type", kind.name)
        member("label", kind.label)
        member("title", kind.title)
        switch kind.port {
        case .none: member("port", "none")
        case .needed: member("port", "needed")
        case .standard(let port):
            member("port", "standard")
            member("standard_port", port)
        case .url: member("port", "url")
        }
        key("questions")
        array(kind.questions) { writer, question in
            writer.object { writer in
                writer.key("path")
                writer.array(question.path) { $0.string($1) }
                writer.member("label", question.label)
                writer.member("default", question.defaultValue)
            }
        }
        key("facts")
        array(kind.facts) { writer, fact in
            writer.object { writer in
                writer.member("name", "\(fact.name)")
                writer.member("label", "\(fact.label)")
            }
        }
    }
}

/// The web page.
extension RequestHandler {
    /// Its links are relative, so it must be read at the path that they begin at, which ends with a slash.
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

/// The server's URL in `openapi.yaml`.
enum ServerListing {
    /// The document, embedded at build from the file at the project's root so that a static binary carries it.
    ///
    /// - Parameter base: the path prefix of all routes; empty for none.
    static func document(below base: String) -> [UInt8] {
        let bytes = PackageResources.openapi_yaml
        guard !base.isEmpty, let begin = start(of: "\nservers:\n", in: bytes),
            let end = start(of: "\ntags:\n", in: bytes), begin < end
        else { return bytes }
        // Relative to the document's URL: a client may use a proxy, whose name is not known here.
        let servers = """

            servers:
              - url: \(base)
                description: The routes, below base_path.
              - url: \(base)/api/v1
                description: The same routes under a versioned prefix.
            """
        return Array(bytes[..<begin]) + Array(servers.utf8) + Array(bytes[end...])
    }

    private static func start(of text: StaticString, in bytes: [UInt8]) -> Int? {
        let wanted = Array(text.description.utf8)
        return bytes.indices.first { bytes[$0] == wanted[0] && bytes[$0...].starts(with: wanted) }
    }
}
