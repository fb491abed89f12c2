// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import JSON
import Monitoring

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
            if let storage = editing?.storage {
                writer.member("targets") { $0.storageMembers(storage, isWriter: scopes.contains(.write)) }
            }
        }
        return HTTPResponse(status: 200, headers: Self.fresh, body: .bytes(writer.bytes))
    }
}

extension JSONWriter {
    /// - Parameter isWriter: whether the client may change targets: paths and reasons are for those.
    fileprivate mutating func storageMembers(_ storage: TargetStorage, isWriter: Bool) {
        member("storage", storage.medium.rawValue)
        guard isWriter else { return }
        if let path = storage.path { member("file", path) }
        if let detail = storage.detail { member("detail", detail) }
    }
}
