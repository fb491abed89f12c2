// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Requests in the order they came.
struct RequestQueue {
    private var requests: [ResolverRequest] = []
    private var first = 0

    var count: Int { requests.count - first }

    mutating func append(_ request: ResolverRequest) {
        requests.append(request)
    }

    mutating func popFirst() -> ResolverRequest? {
        guard first < requests.count else { return nil }
        let request = requests[first]
        first += 1
        // Half of it is history: drop that, at a cost that the pops before have paid for.
        if first * 2 > requests.count {
            requests.removeFirst(first)
            first = 0
        }
        return request
    }

    mutating func takeAll() -> [ResolverRequest] {
        defer { self = RequestQueue() }
        return Array(requests[first...])
    }
}
