// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// A file of its own: the kernel's and the C library's <sched.h> do not go together.
#include "CLinux.h"

#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/syscall.h>
#include <unistd.h>

void reachd_prefer_prompt_scheduling(void) {
    // Linux 6.12 and later; others ignore it. A refusal leaves things as they were, which is all that can be done.
    struct sched_attr attributes = {.size = sizeof attributes};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
    if (attributes.sched_policy != SCHED_NORMAL) return;
    attributes.sched_runtime = 100000;
    (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
}
