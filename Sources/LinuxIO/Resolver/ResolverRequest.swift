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
