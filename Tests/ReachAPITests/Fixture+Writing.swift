// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Testing

import struct HTTPServer.HTTPHeader

@testable import Configuration
@testable import Monitoring
@testable import Targets

extension Fixture {
    /// Changes something with a body of JSON.
    @discardableResult
    func send(
        _ method: String,
        _ target: String,
        _ body: String = "",
        type: String? = "application/json",
        headers: [HTTPHeader] = []
    ) -> HTTPResponse {
        let own = type.map { [HTTPHeader("Content-Type", $0)] } ?? []
        return respond(target, method: method, headers: own + headers, body: Array(body.utf8))
    }

    /// Puts a configuration in force beside what the interface declared.
    @discardableResult
    func configure(_ text: String, found: [TargetSettings]? = nil) throws -> AppliedTargets {
        let loaded = try ConfigurationLoader().load(bytes: Array(text.utf8), path: "reachd.yaml")
        return book.apply(loaded.configuration, found: found)
    }

    /// The pointers of a problem.
    func pointers(_ response: HTTPResponse) throws -> [String] {
        try JSONValue(parsing: response.bytes)["errors"]?.array?.compactMap { $0["pointer"]?.string } ?? []
    }

    /// The last word of a problem's type.
    func problem(_ response: HTTPResponse) throws -> String? {
        #expect(response.header("Content-Type") == "application/problem+json")
        return try JSONValue(parsing: response.bytes)["type"]?.string?.split(separator: ":").last.map(String.init)
    }

    /// What the events tell of declarations.
    var declarations: [String] {
        registry.changes(after: 0, limit: .max).events.compactMap { event in
            guard case .target(let action, let record) = event.content else { return nil }
            return "\(action) \(record.target?.settings.id ?? "")"
        }
    }
}
