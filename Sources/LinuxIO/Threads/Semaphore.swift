// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CLinux
import Glibc

/// A counting semaphore, `sem_init(3)`.
@safe package final class Semaphore: Sendable {
    /// Unchecked by the compiler and safe by POSIX: every operation on a `sem_t` may come from any thread.
    private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

    /// Creates a semaphore with a count of zero.
    package init() {
        unsafe semaphore = .allocate(capacity: 1)
        unsafe sem_init(semaphore, 0, 0)
    }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    /// Adds one and wakes a waiter.
    package func post() {
        unsafe sem_post(semaphore)
    }

    /// Waits until the count is above zero and takes one, but for no longer than a time.
    ///
    /// - Returns: Whether one was taken.
    package func wait(within limit: Duration) -> Bool {
        unsafe reachd_wait_semaphore(semaphore, limit.nanoseconds) == 0
    }

    /// Waits until the count is above zero and takes one.
    package func wait() {
        while unsafe sem_wait(semaphore) == -1, errno == EINTR {}
    }
}
