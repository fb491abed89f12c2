// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// A registration; it ends when it is cancelled or released.
///
/// It does not keep the observed object alive, nor the object it (contract K8).
public final class KeyValueObservation: Sendable {
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = Mutex(onCancel)
    }

    deinit {
        cancel()
    }

    /// Ends the observation; any thread, any number of times, also from inside the handler.
    ///
    /// The handler is not called again: not even for a change whose prior notification it got. A call that runs on
    /// another thread at this moment is not waited for. What the handler holds is released before this returns, unless
    /// such a call still uses it.
    public func cancel() {
        // Taken out under the lock, called outside it: what it releases may run anybody's code.
        let action = onCancel.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }

    /// Whether ``cancel()`` was called.
    public var isCancelled: Bool {
        onCancel.withLock { $0 == nil }
    }
}
