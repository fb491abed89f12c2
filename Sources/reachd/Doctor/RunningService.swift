// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import Configuration
import HTTPServer
import JSON
import Probing
import ReachAPI

/// The service that runs on this machine with the same configuration.
enum RunningService {
    /// A small JSON document of it; nil when none runs.
    ///
    /// - Parameters:
    ///   - path: One that needs no access token.
    ///   - isWanted: Which of its addresses are asked.
    static func body(
        _ path: String,
        _ settings: HTTPSettings,
        isWanted: (HTTPEndpoint) -> Bool = { _ in true }
    ) -> JSONValue? {
        for endpoint in ServiceEndpoints.places(of: settings) where isWanted(endpoint) {
            var client = BlockingHTTPClient(endpoint, timeout: .seconds(2))
            // Nothing secret is sent, and the answer is only shown.
            client.verifies = false
            guard let answer = try? client.get(path, limit: 65_536), let body = try? JSONValue(reading: answer.body)
            else { continue }
            return body
        }
        return nil
    }
}
