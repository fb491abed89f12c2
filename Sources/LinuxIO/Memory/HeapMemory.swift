// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux

/// The C library's heap.
package enum HeapMemory {
    /// Gives the memory that is free but held back to the system: after work that needed much and is over. Any thread;
    /// takes milliseconds. The corresponding C function is `malloc_trim(3)`.
    package static func trim() {
        malloc_trim(0)
    }

    /// Lets every block of 8 MiB or more go back to the system when it is freed, and of the others all but 4 MiB at the heap's end.
    ///
    /// By itself the C library learns from the first large block that is freed to keep the next ones, up to 32 MiB each: one large
    /// request would be paid for until the end. Once, before there are threads. The C function is `mallopt(3)`.
    package static func returnLargeBlocks() {
        mallopt(M_MMAP_THRESHOLD, 8 << 20)
        mallopt(M_TRIM_THRESHOLD, 4 << 20)
    }
}
