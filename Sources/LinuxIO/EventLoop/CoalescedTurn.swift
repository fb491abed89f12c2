// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// Work for an event loop that is done once, however often it is requested before it begins. Any thread.
package final class CoalescedTurn: Sendable {
    private let loop: EventLoop
    private let isRequested = Atomic<Bool>(false)

    /// Creates one that is not requested.
    ///
    /// - Parameter loop: does the work.
    package init(on loop: EventLoop) { self.loop = loop }

    /// Requests the work.
    ///
    /// - Parameter body: the work, the same in each call; runs on the loop's thread.
    package func request(_ body: @escaping @Sendable () -> Void) {
        guard !isRequested.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.execute { [self] in
            isRequested.store(false, ordering: .releasing)
            body()
        }
    }
}
