// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What must be true of a response.
public struct HTTPExpectation: Sendable, Hashable {
    /// The statuses that are right.
    public var statuses: HTTPStatusRanges
    /// What must hold for headers.
    public var headers: [HTTPHeaderExpectation]
    /// What must hold for the body, as far as it is read.
    public var body: [HTTPBodyExpectation]
    /// What must hold for the body as JSON.
    public var json: [JSONExpectation]
    /// Whether a body above ``HTTPProbeSettings/bodyLimit`` is a failure.
    public var refusesLargerBody: Bool

    /// Creates an expectation; everything has a default.
    public init(
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
