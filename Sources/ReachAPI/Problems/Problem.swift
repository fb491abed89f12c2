// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer

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

    static func invalid(_ faults: [ProblemFault]) -> HTTPResponse {
        Problem(kind: .invalidParameter, detail: faults.first?.detail, faults: faults).response
    }
}
