// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import JSON
import Probing

extension RequestHandler {
    /// `GET /kinds`: the kinds of probes, for forms and for readers of results; the same for the life of the process.
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
                writer.member("default", question.standard)
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
