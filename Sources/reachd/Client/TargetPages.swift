// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ReachAPI

/// Reads `/targets` page by page.
struct TargetPages {
    private let client: ServiceClient

    init(_ client: ServiceClient) {
        self.client = client
    }

    /// Calls a body with each page.
    func read(_ query: URLQuery, fields: String, _ body: (JSONDocument) -> Void) throws {
        var cursor: String?
        repeat {
            var query = query
            query.add("limit", "1000")
            query.add("fields", fields)
            if let cursor { query.add("cursor", cursor) }
            let page = try client.document("/targets" + query.text).document
            body(page)
            let next = page["next"]?.text
            // A service that names the same place again would have us ask for ever.
            cursor = page["targets"]?.elements?.isEmpty == false && next != cursor ? next : nil
        } while cursor != nil
    }

    /// How all targets are declared, as far as it is shown.
    func declarations() throws -> [JSONDocument] {
        var targets: [JSONDocument] = []
        try read(URLQuery(), fields: DeclarationListing.fields.joined(separator: ",")) { page in
            targets += page["targets"]?.elements ?? []
        }
        return targets
    }
}
