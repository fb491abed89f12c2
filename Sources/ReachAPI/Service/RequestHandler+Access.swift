// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer

/// What a client may do, for pages that show no buttons which do nothing.
extension RequestHandler {
    func access(_ request: HTTPRequest, _ rules: AccessGate.Rules) -> HTTPResponse {
        let (scopes, refusal) = gate.permissions(of: request, under: rules)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("is_token_wanted", !rules.tokens.isEmpty)
            writer.key("scopes")
            writer.array(scopes.map(\.rawValue).sorted()) { $0.string($1) }
            if let refusal { writer.member("refusal", refusal) }
        }
        return HTTPResponse(status: 200, headers: Self.fresh, body: .bytes(writer.bytes))
    }
}
