// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import JSON
import LinuxIO
import Monitoring
import Schema

/// An error answer as a problem document, RFC 9457.
struct Problem {
    let kind: ProblemKind
    var detail: String?
    var faults: [ProblemFault] = []
    var headers: [HTTPHeader] = []

    var response: HTTPResponse {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("type", "urn:reachd:problem:\(kind.rawValue)")
            writer.member("title", kind.title)
            writer.member("status", kind.status)
            if let detail { writer.member("detail", detail) }
            if !faults.isEmpty {
                writer.key("errors")
                writer.array(faults) { writer, fault in
                    writer.object {
                        if !fault.parameter.isEmpty { $0.member("parameter", fault.parameter) }
                        if let pointer = fault.pointer { $0.member("pointer", pointer) }
                        if let line = fault.line { $0.member("line", line) }
                        if let column = fault.column { $0.member("column", column) }
                        if let code = fault.code { $0.member("code", code) }
                        $0.member("detail", fault.detail)
                    }
                }
            }
        }
        let own = [
            HTTPHeader("Content-Type", "application/problem+json"), HTTPHeader("Cache-Control", "no-store"),
            .noSniffing,
        ]
        return HTTPResponse(status: kind.status, headers: own + headers, body: .bytes(writer.bytes))
    }

    /// 404 for an unknown target.
    ///
    /// - Parameter ids: Those that exist, for a hint.
    static func unknownTarget(_ id: String, among ids: [String] = []) -> Problem {
        let hint = NearestName.of(id, among: ids).map { " Did you mean \(quote($0))?" } ?? ""
        return Problem(kind: .unknownTarget, detail: "There is no target \(quote(id)); GET /targets lists all.\(hint)")
    }

    /// 409 for a target that reachd does not probe.
    static func withoutProbe(_ settings: TargetSettings) -> Problem {
        let type = settings.probe?.type
        return Problem(
            kind: .noProbe,
            detail: type.map { "The target has the type \($0)." } ?? "The target has no probe."
        )
    }

    /// 400 for a request with a body that its method does not have here.
    static func unexpectedBody(_ method: HTTPMethod) -> Problem {
        Problem(
            kind: .unexpectedBody,
            detail: "\(method.rawValue) does not accept a body here.",
            headers: [HTTPHeader("Connection", "close")]
        )
    }

    /// 404 for an unknown route.
    static func unknownRoute(_ path: String) -> Problem {
        Problem(kind: .unknownRoute, detail: "There is no route \(quote(path)); GET /openapi.yaml lists all.")
    }

    /// 405.
    static func methodNotAllowed(_ method: String, _ allow: HTTPHeader) -> Problem {
        let detail = "The route does not support \(quote(method)), only \(allow.value)."
        return Problem(kind: .methodNotAllowed, detail: detail, headers: [allow])
    }

    /// A client's text, shortened and safe for terminals.
    static func quote(_ text: String) -> String { PrintableBytes.quote(text.utf8) }

    static func invalid(_ faults: [ProblemFault]) -> HTTPResponse {
        Problem(kind: .invalidParameter, detail: faults.first?.detail, faults: faults).response
    }
}

/// One thing that is wrong with a request, or with the configuration that it refers to.
struct ProblemFault: Hashable {
    /// The query parameter; empty for none.
    var parameter = ""
    /// The position in a body or in the configuration, as a JSON Pointer (RFC 6901); nil for none.
    var pointer: String?
    /// The position in a file, counted from one; nil for none.
    var line: Int?
    var column: Int?
    /// The diagnostic's code; nil if it has none.
    var code: String?
    let detail: String
}
