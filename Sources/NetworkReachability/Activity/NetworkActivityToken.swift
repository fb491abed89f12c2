// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// An activity that goes on until it is ended or the token is released (contract A26).
///
/// It does not keep the manager alive, nor the manager it.
public final class NetworkActivityToken: Sendable {
    private let onEnd: Mutex<(@Sendable () -> Void)?>

    init(onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = Mutex(onEnd)
    }

    deinit {
        end()
    }

    /// Ends the activity; any thread, any number of times, the first alone counts.
    public func end() {
        // Taken out under the lock, called outside it: observers of the count are called in it.
        let action = onEnd.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }

    /// Whether ``end()`` was called.
    public var isEnded: Bool {
        onEnd.withLock { $0 == nil }
    }
}
