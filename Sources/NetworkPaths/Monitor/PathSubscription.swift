// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Synchronization

/// Keeps an observation alive; letting go of it ends the observation.
public final class PathSubscription: Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>

    init(end: @escaping @Sendable () -> Void) {
        self.end = Mutex(end)
    }

    deinit {
        cancel()
    }

    /// Ends the observation. A second call does nothing.
    ///
    /// A barrier: when it returns, no call to the handler runs on another thread and none follows. From inside the
    /// handler it returns at once, and the running call is the last. Must not be called while holding a lock that the
    /// handler takes.
    public func cancel() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
