// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
