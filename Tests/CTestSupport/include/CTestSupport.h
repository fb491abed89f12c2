// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// What tests need of Linux that Swift's Glibc module leaves out: it hides behind _GNU_SOURCE or is variadic.
#ifndef REACHD_CTESTSUPPORT_H
#define REACHD_CTESTSUPPORT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Makes the calling thread enter the network namespace behind a descriptor, setns(2). 0 or an errno.
int reachd_test_enter_network(int descriptor);

/// The calling thread's number, gettid(2).
pid_t reachd_test_thread_id(void);

/// A pipe whose ends are closed on exec, pipe2(2). 0 or an errno.
int reachd_test_pipe(int ends[_Nonnull 2]);

/// Takes all capabilities from the calling thread and those that it starts, capset(2). 0 or an errno.
int reachd_test_drop_capabilities(void);

/// Attaches to a tun or tap device, which has carrier as long as the descriptor is open. The caller closes it.
/// Returns the descriptor, or the negated errno.
int reachd_test_attach_tun(const char *_Nonnull name, int is_tap);

/// Bytes of the heap that are in use, mallinfo2(3); 0 under a sanitizer, which has a heap of its own.
size_t reachd_test_heap_in_use(void);

#endif
