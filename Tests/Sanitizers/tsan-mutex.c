// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// For runs under the thread sanitizer only, preloaded. Swift's Mutex waits inside libswiftSynchronization, which is not
// instrumented: the sanitizer does not see that a contended lock was taken and reports races that are none. This takes
// the slow path's place with one that it sees. Only the fast path's lock word is used, so unlocking never gets slow.
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

__attribute__((swiftcall)) void lock_slow(uint32_t thread, __attribute__((swift_context)) _Atomic uint32_t *word)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

__attribute__((swiftcall)) void lock_slow(uint32_t thread, __attribute__((swift_context)) _Atomic uint32_t *word) {
    uint32_t unlocked = 0;
    while (!atomic_compare_exchange_weak_explicit(word, &unlocked, thread, memory_order_acquire, memory_order_relaxed)) {
        unlocked = 0;
        sched_yield();
    }
}

// Programs that the tests start are not linked with the sanitizer and could not load this.
__attribute__((constructor)) static void keep_to_this_process(void) { unsetenv("LD_PRELOAD"); }
