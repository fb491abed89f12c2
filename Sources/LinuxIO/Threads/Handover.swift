// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import Synchronization

/// Passes one value from one thread to another that waits for it.
final class Handover<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let semaphore: Semaphore

    init() {
        semaphore = Semaphore()
    }

    func give(_ newValue: Value) {
        value.withLock { $0 = newValue }
        semaphore.post()
    }

    func take() -> Value? {
        semaphore.wait()
        return value.withLock { $0 }
    }
}
