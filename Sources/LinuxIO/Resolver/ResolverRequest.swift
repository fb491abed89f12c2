// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One call of ``Resolver/resolve(_:completion:)`` on its way to an answer.
final class ResolverRequest {
    let name: String
    /// nil when it was cancelled or called.
    var completion: ((ResolverAnswer) -> Void)?
    /// Where the search is; nil while it waits for its turn.
    var search: NameSearch?
    /// The answers to the two questions about the candidate at hand.
    var replies: [QuestionReply] = []

    init(name: String, completion: @escaping (ResolverAnswer) -> Void) {
        self.name = name
        self.completion = completion
    }
}

/// A name that was asked for: the means to stop waiting for it. On the loop's thread.
package final class ResolverQuery {
    private weak var resolver: Resolver?
    private let request: ResolverRequest

    init(resolver: Resolver, request: ResolverRequest) {
        self.resolver = resolver
        self.request = request
    }

    /// Drops the completion: it is not called after this. A second call, or one after the answer, does nothing.
    package func cancel() {
        guard request.completion != nil else { return }
        request.completion = nil
        resolver?.wasCancelled(request)
    }
}

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
