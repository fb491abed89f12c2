// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// One call of a ``Resolver`` on its way to an answer.
final class ResolverRequest {
    /// What gets the answer.
    enum Completion {
        case addresses((ResolverAnswer) -> Void)
        case services((ServiceAnswer) -> Void)
    }

    /// As it was asked for, then in ASCII.
    var name: String
    /// The types of the records that are asked for, each in a question of its own.
    let types: [Int32]
    /// nil when it was cancelled or called.
    var completion: Completion?
    /// Called with the addresses of one family while those of the other are awaited; nil once it was called.
    var early: ((ResolverAnswer) -> Void)?
    /// Where the search is; nil while it waits for its turn.
    var search: NameSearch?
    /// The number of the candidate at hand, which questions carry: answers about an earlier one are of no use.
    var round = 0
    /// The answers to the questions about the candidate at hand.
    var replies: [QuestionReply] = []
    /// Ends the wait for the other family's answer.
    var patience: TimerToken?

    /// Whether it asks for addresses, which the hosts file may have too.
    let asksForAddresses: Bool

    init(name: String, family: AddressFamily? = nil, completion: Completion) {
        self.name = name
        self.completion = completion
        switch completion {
        case .addresses: (asksForAddresses, types) = (true, DNSType.addresses(of: family))
        case .services: (asksForAddresses, types) = (false, [DNSType.srv])
        }
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
