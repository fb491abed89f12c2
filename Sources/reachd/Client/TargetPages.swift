// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import JSON
import ReachAPI
import Schema

/// Reads `/targets` page by page, within bounds: a service that has always another page is not reachd.
struct TargetPages {
    /// Ten times as many targets as a service can have.
    private static let pageLimit = 1_000
    private static let byteLimit = 256 << 20

    private let client: ServiceClient

    init(_ client: ServiceClient) {
        self.client = client
    }

    /// Calls a body with each page.
    func read(_ query: URLQuery, fields: String, _ body: (JSONValue) -> Void) throws {
        var cursor: String?
        var (pages, bytes) = (0, 0)
        repeat {
            var query = query
            query.add("limit", "1000")
            query.add("fields", fields)
            if let cursor { query.add("cursor", cursor) }
            let (page, answer) = try client.document("/targets" + query.text)
            pages += 1
            bytes += answer.body.count
            guard pages <= Self.pageLimit, bytes <= Self.byteLimit else {
                let what = "more than \(Self.pageLimit) pages or \(Self.byteLimit >> 20) MiB of targets"
                throw CommandError.report(
                    "the server at \(client.place) is not reachd: it sends \(what)",
                    .protocolFault
                )
            }
            body(page)
            let next = page["next"]?.text
            // A service that names the same place again would have us ask for ever.
            cursor = page["targets"]?.elements?.isEmpty == false && next != cursor ? next : nil
        } while cursor != nil
    }

    /// How all targets are declared, as far as it is shown.
    func declarations() throws -> [JSONValue] {
        var targets: [JSONValue] = []
        var query = URLQuery()
        query.add("scope", "node")
        try read(query, fields: DeclarationListing.fields.joined(separator: ",")) { page in
            targets += page["targets"]?.elements ?? []
        }
        return targets
    }
}
