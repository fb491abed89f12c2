// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// For builds with the thread sanitizer only, linked into every program. Swift's Mutex waits inside libswiftSynchronization, which is not
// instrumented: the sanitizer does not see that a contended lock was taken and reports races that are none. This takes
// the slow path's place with one that it sees. Only the fast path's lock word is used, so unlocking never gets slow.
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

__attribute__((swiftcall)) void lock_slow(uint32_t thread, __attribute__((swift_context)) _Atomic uint32_t *word)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

__attribute__((swiftcall)) void lock_slow(uint32_t thread, __attribute__((swift_context)) _Atomic uint32_t *word) {
    uint32_t unlocked = 0;
    while (!atomic_compare_exchange_weak_explicit(word, &unlocked, thread, memory_order_acquire, memory_order_relaxed)) {
        unlocked = 0;
        sched_yield();
    }
}
