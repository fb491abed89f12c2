// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What must be true of a response.
package struct HTTPExpectation: Sendable, Hashable {
    /// The statuses that are right.
    package var statuses: HTTPStatusRanges
    /// What must hold for headers.
    package var headers: [HTTPHeaderExpectation]
    /// What must hold for the body, as far as it is read.
    package var body: [HTTPBodyExpectation]
    /// What must hold for the body as JSON.
    package var json: [JSONExpectation]
    /// Whether a body above ``HTTPProbeSettings/bodyLimit`` is a failure.
    package var refusesLargerBody: Bool

    /// Creates an expectation; everything has a default.
    package init(
        statuses: HTTPStatusRanges = .successful,
        headers: [HTTPHeaderExpectation] = [],
        body: [HTTPBodyExpectation] = [],
        json: [JSONExpectation] = [],
        refusesLargerBody: Bool = false
    ) {
        self.statuses = statuses
        self.headers = headers
        self.body = body
        self.json = json
        self.refusesLargerBody = refusesLargerBody
    }

    /// What of a response is needed to judge it.
    var needsHeaders: Bool { !headers.isEmpty }
    var needsBody: Bool { !body.isEmpty || !json.isEmpty }
}
